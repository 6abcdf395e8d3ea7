"""What a runner needs that the user did not say, set or asked for before anything starts. All else is the user's."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from apache_beam.options.pipeline_options import (
    DebugOptions,
    FlinkRunnerOptions,
    GoogleCloudOptions,
    PipelineOptions,
    PortableOptions,
    SetupOptions,
    SparkRunnerOptions,
    StandardOptions,
    TestOptions,
    WorkerOptions,
)

from . import files
from .errors import UsageError

DATAFLOW = "DataflowRunner"
PORTABLE = ("PortableRunner", "FlinkRunner", "SparkRunner")
# Without it Flink starts some five workers for each stage of a job, one after another.
ENVIRONMENT_CACHE_MILLIS = 60_000


def name(options: PipelineOptions) -> str:
    """The runner's bare name: `apache_beam.runners.portability.flink_runner.FlinkRunner` is `FlinkRunner`."""
    return str(options.view_as(StandardOptions).runner or "DirectRunner").rpartition(".")[2]


def prepare(options: PipelineOptions, paths: Iterable[str]) -> None:
    """Set what the runner needs, or raise UsageError where workers could not reach one of `paths` or the package."""
    setup = options.view_as(SetupOptions)
    if setup.save_main_session is None:
        # Everything that is sent is importable, so the session would be staged, and could fail, for nothing.
        setup.save_main_session = False
    runner = name(options)
    portable = options.view_as(PortableOptions)
    if runner in PORTABLE and not int(portable.environment_cache_millis or 0):
        portable.environment_cache_millis = ENVIRONMENT_CACHE_MILLIS
    if runner in PORTABLE:
        # A list of what is installed here, for a log: the one file that Beam stages for a job that stages none. Where
        # there is none, no task manager has to reach the job server's folder.
        options.view_as(DebugOptions).add_experiment("disable_logging_submission_environment")
    if runner == DATAFLOW or _in_containers(options):
        where = "Dataflow's workers" if runner == DATAFLOW else "the containers of the workers"
        _refuse_local(paths, where, runner)
        if not staged(options):
            raise UsageError(
                f"{where} do not have sentchunk-beam; add --sdk_container_image=IMAGE with it, "
                "or --extra_package=sentchunk_beam-VERSION-….whl, which they install"
            )


def _in_containers(options: PipelineOptions) -> bool:
    """Whether a portable runner starts workers as Docker containers, which see no folder of the host."""
    runner = name(options)
    if runner not in PORTABLE:
        return False
    kind = options.view_as(PortableOptions).environment_type
    if kind is None:  # Beam starts workers in this process for a cluster that it starts itself
        loopback = (
            (runner == "FlinkRunner" and _flink_master(options) in ("[local]", "[auto]"))
            or (runner == "SparkRunner" and _spark_master(options).startswith("local"))
        )  # fmt: skip
        return not loopback
    return str(kind).upper() == "DOCKER"


def _flink_master(options: PipelineOptions) -> str:
    return str(options.view_as(FlinkRunnerOptions).flink_master)


def _spark_master(options: PipelineOptions) -> str:
    return str(options.view_as(SparkRunnerOptions).spark_master_url)


def _refuse_local(paths: Iterable[str], where: str, runner: str) -> None:
    advice = "name a folder of an object store, such as gs:// or s3://"
    if runner != DATAFLOW:
        advice += (
            ", or have workers that see this disk with --environment_type=EXTERNAL or LOOPBACK"
        )
    for path in paths:
        if files.is_local(path):
            raise UsageError(f"{where} do not see {path!r} of this machine; {advice}")


def staged(options: PipelineOptions) -> list[str]:
    """What brings the package to the workers, an option each."""
    setup, portable = options.view_as(SetupOptions), options.view_as(PortableOptions)
    image = options.view_as(WorkerOptions).sdk_container_image
    if image is None and str(portable.environment_type or "DOCKER").upper() == "DOCKER":
        image = portable.environment_config or _environment_image(portable)
    single = {
        "container image": image,
        "setup file": setup.setup_file,
        "requirements": setup.requirements_file,
    }
    found = [f"{kind} {value}" for kind, value in single.items() if value]
    return found + [f"package {each}" for each in setup.extra_packages or []]


def _environment_image(portable: PortableOptions) -> Any:
    return portable.lookup_environment_option("docker_container_image")


def only_submits(options: PipelineOptions) -> bool:
    """Whether the job graph is all that the runner makes: a template's launcher starts it, or nobody."""
    cloud = options.view_as(GoogleCloudOptions)
    return is_beam_dry_run(options) or (name(options) == DATAFLOW and bool(cloud.template_location))


def is_beam_dry_run(options: PipelineOptions) -> bool:
    """Beam's own `--dry_run`, with which Dataflow's runner builds the job graph and sends it nowhere."""
    return name(options) == DATAFLOW and bool(options.view_as(TestOptions).dry_run)
