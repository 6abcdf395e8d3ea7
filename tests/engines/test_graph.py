"""The job graph as Dataflow and Flink get it, built here without a network: what is staged, and what crosses stages."""

from __future__ import annotations

import importlib.util
import socket
from pathlib import Path
from typing import Any

import apache_beam as beam
import pytest
from apache_beam.portability import common_urns
from apache_beam.portability.api import beam_runner_api_pb2 as api
from apache_beam.runners.portability.fn_api_runner import translations
from apache_beam.runners.portability.portable_runner import PortableRunner
from apache_beam.runners.worker import data_plane
from apache_beam.runners.worker.bundle_processor import DATA_INPUT_URN, DATA_OUTPUT_URN
from job.helpers import run, write
from remote import PREFIX
from sentchunk import ChunkSpec

from engines.conftest import missing
from sentchunk_beam import runners
from sentchunk_beam.cli import main
from sentchunk_beam.commands.options import split_beam_options
from sentchunk_beam.job import ChunkPlannedUnits
from sentchunk_beam.settings import Columns, Settings
from sentchunk_beam.unit import Work

IMAGE = "region-docker.pkg.dev/my-proj/images/sentchunk-worker:0.1.0"
DATAFLOW = [
    "--runner=DataflowRunner", "--project=my-proj", "--region=us-central1", "--job_name=job", "--no_auth",
    "--temp_location=gs://my-bucket/temp", "--dry_run=True",
]  # fmt: skip
FLINK = [
    "--runner=FlinkRunner", "--flink_master=jobmanager:8081", "--environment_type=EXTERNAL",
    "--environment_config=localhost:50000",
]  # fmt: skip
GROUPINGS = {common_urns.primitives.GROUP_BY_KEY.urn, common_urns.primitives.FLATTEN.urn}


@pytest.fixture(autouse=True)
def no_network(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(self: Any, address: Any) -> None:
        raise OSError(f"a connection to {address}")

    monkeypatch.setattr(socket.socket, "connect", refuse)


def options_of(*arguments: str) -> Any:
    options, rest = split_beam_options(list(arguments))
    assert rest == []
    runners.prepare(options, ["gs://my-bucket/in", "gs://my-bucket/out"])
    return options


def pipeline_of(options: Any, check_ids: bool = False) -> beam.Pipeline:
    pipeline = beam.Pipeline(options=options)
    work = Work("gs://my-bucket/out", Settings(ChunkSpec(300), Columns(id="id")))
    pipeline | ChunkPlannedUnits(work, 4, {"started": 0.0}, check_ids)
    return pipeline


def dataflow(*more: str, check_ids: bool = False) -> api.Pipeline:
    if not importlib.util.find_spec("apitools"):
        missing("apache-beam[gcp] is missing: install the extra `test`")
    options = options_of(*DATAFLOW, *(more or (f"--sdk_container_image={IMAGE}",)))
    return pipeline_of(options, check_ids).run().job.proto_pipeline


def flink(*more: str, check_ids: bool = False) -> api.Pipeline:
    options = options_of(*FLINK, *more)
    return PortableRunner.get_proto_pipeline(pipeline_of(options, check_ids), options)


RUNNERS = pytest.mark.parametrize("build", [dataflow, flink])


def stages_of(proto: api.Pipeline) -> tuple[Any, list[Any]]:
    """The stages that Beam's own fusion makes of a pipeline, for a runner that groups and flattens by itself."""
    phases = [
        translations.annotate_downstream_side_inputs,
        translations.expand_sdf,
        translations.expand_gbk,
        translations.sink_flattens,
        translations.greedily_fuse,
        translations.read_to_impulse,
        translations.sort_stages,
    ]
    return translations.create_and_optimize_stages(proto, phases, frozenset(GROUPINGS))


def names(stage: Any) -> list[str]:
    return [
        each.unique_name.removeprefix("ChunkPlannedUnits/")
        for each in stage.transforms
        if each.spec.urn == common_urns.primitives.PAR_DO.urn
    ]


@RUNNERS
def test_read_chunk_and_write_are_one_step_of_one_stage(build: Any) -> None:
    proto = build()
    ours = {"ReadPlan", "DoUnit", "Commit"}
    leaves = {
        each.unique_name.removeprefix("ChunkPlannedUnits/").split("/")[0]
        for each in proto.components.transforms.values()
        if not each.subtransforms
    }
    assert leaves == {"Plan", "Spread", "Gather", *ours}
    _, stages = stages_of(proto)
    found = [[name for name in names(stage) if name in ours] for stage in stages]
    assert sorted(filter(None, found)) == [["Commit"], ["DoUnit"], ["ReadPlan"]]
    with_unit = next(names(stage) for stage in stages if "DoUnit" in names(stage))
    before, after = (
        with_unit[: with_unit.index("DoUnit")],
        with_unit[with_unit.index("DoUnit") + 1 :],
    )
    assert all(name.startswith("Spread/") for name in before)
    assert all(name.startswith("Gather/") for name in after)


@RUNNERS
def test_no_side_inputs_no_state_no_splitting(build: Any) -> None:
    for each in build().components.transforms.values():
        if each.spec.urn == common_urns.primitives.PAR_DO.urn:
            payload = api.ParDoPayload.FromString(each.spec.payload)
            assert not payload.side_inputs
            assert not payload.state_specs
            assert not payload.restriction_coder_id


def urns(coder_id: str, components: Any) -> set[str]:
    coder = components.coders[coder_id]
    return {coder.spec.urn}.union(*(urns(each, components) for each in coder.component_coder_ids))


@RUNNERS
@pytest.mark.parametrize("check_ids", [False, True])
def test_what_crosses_a_boundary_is_descriptors(build: Any, check_ids: bool) -> None:
    context, stages = stages_of(build(check_ids=check_ids))
    components = context.components
    crossing: dict[str, set[str]] = {}
    for stage in stages:
        for each in stage.transforms:
            ends = {DATA_INPUT_URN: each.outputs, DATA_OUTPUT_URN: each.inputs}.get(
                each.spec.urn, {}
            )
            for collection in map(components.pcollections.get, ends.values()):
                name = collection.unique_name.partition("ChunkPlannedUnits/")[2]
                crossing[name] = payload_names(collection.coder_id, components)
    assert {name.split("/")[0] for name in crossing} >= {"Spread", "Gather"}
    tables = {name for name, found in crossing.items() if found}
    # Ids, and these alone, travel as tables, where they are asked for.
    assert {name.split("/")[0] for name in tables} == ({"CheckIds"} if check_ids else set())
    unit, manifest = (coder_of(name, components) for name in ("Spread/RemoveRandomKeys", "DoUnit"))
    strings = {common_urns.coders.STRING_UTF8.urn}
    assert urns(unit, components) == strings
    assert urns(manifest, components) == strings | {common_urns.coders.KV.urn}


def coder_of(name: str, components: Any) -> str:
    for collection in components.pcollections.values():
        found = collection.unique_name.partition("ChunkPlannedUnits/")[2]
        if found == name or found.partition(".")[0] == name:
            return collection.coder_id
    raise KeyError(name)


def payload_names(coder_id: str, components: Any) -> set[str]:
    """Which of our coders a coder is made of: it is pickled, with its name in it."""
    coder = components.coders[coder_id]
    found = {"TableCoder"} if b"TableCoder" in coder.spec.payload else set()
    return found.union(*(payload_names(each, components) for each in coder.component_coder_ids))


@RUNNERS
def test_nothing_of_the_main_session_is_staged(build: Any) -> None:
    def staged(proto: api.Pipeline) -> str:
        return str([each.dependencies for each in proto.components.environments.values()])

    assert "pickled_main_session" not in staged(build())
    wished = [f"--sdk_container_image={IMAGE}", "--save_main_session"]
    assert "pickled_main_session" in staged(build(*wished))  # whoever asks for it gets it


def test_an_external_pool_needs_no_staging(tmp_path: Path) -> None:
    """So no task manager has to read the job server's folder."""
    (environment,) = flink().components.environments.values()
    assert not environment.dependencies
    package = tmp_path / "some-1.0-py3-none-any.whl"
    package.write_bytes(b"")
    (environment,) = flink(f"--extra_package={package}").components.environments.values()
    assert package.name in str(environment.dependencies)


def test_the_image_or_the_wheel_reaches_dataflow(tmp_path: Path) -> None:
    environment = next(iter(dataflow().components.environments.values()))
    assert api.DockerPayload.FromString(environment.payload).container_image == IMAGE
    wheel = tmp_path / "sentchunk_beam-0.1.0-cp311-cp311-manylinux_2_28_x86_64.whl"
    wheel.write_bytes(b"")
    environment = next(iter(dataflow(f"--extra_package={wheel}").components.environments.values()))
    assert wheel.name in str(environment.dependencies)


def test_the_command_builds_it(tmp_path: Path, capsys: pytest.CaptureFixture) -> None:
    if not importlib.util.find_spec("apitools"):
        missing("apache-beam[gcp] is missing: install the extra `test`")
    source = PREFIX + write(tmp_path / "in.parquet", {"text": ["A."]})
    out = tmp_path / "out"
    options = [*DATAFLOW, f"--sdk_container_image={IMAGE}"]
    assert run(source, "--output", f"{PREFIX}{out}", "--max-size", 9, *options) == 0
    assert capsys.readouterr().out == "the job graph was built and, for --dry_run, sent nowhere\n"
    assert not out.exists()


def test_no_text_goes_through_beam(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The same at run time: all that threads of one process send each other over Beam's data channels."""
    monkeypatch.undo()  # the workers connect to this very process
    sent: list[bytes] = []
    before = data_plane._GrpcDataChannel._write_outputs

    def recorded(self: Any) -> Any:
        for elements in before(self):
            sent.append(elements.SerializeToString())
            yield elements

    monkeypatch.setattr(data_plane._GrpcDataChannel, "_write_outputs", recorded)
    texts = [f"Confidential {number}. " * 50 for number in range(2_000)]
    source = write(tmp_path / "in.parquet", {"text": texts})
    assert main(["chunk", source, "--output", str(tmp_path / "out"), "--max-size", "99"]) == 0
    assert any(b"in.parquet" in each for each in sent)  # it does see what is sent
    assert not any(b"Confidential" in each for each in sent)
    assert sum(map(len, sent)) < 20_000
