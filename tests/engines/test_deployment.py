"""The deployment files: well-formed, linted, and agreeing with each other and with the package."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
from importlib.metadata import requires, version
from pathlib import Path
from typing import Any

import jsonschema
import pytest
import yaml

from engines.conftest import REPOSITORY, missing
from sentchunk_beam.cli import parser
from sentchunk_beam.commands.options import option_names, split_beam_options, with_runner_options

PIPELINES = REPOSITORY / "pipelines"
DOCKERFILE = PIPELINES / "worker" / "Dockerfile"
COMPOSE = yaml.safe_load((PIPELINES / "flink" / "compose.yaml").read_text())
KUBERNETES = list(yaml.safe_load_all((PIPELINES / "flink" / "kubernetes.yaml").read_text()))
sys.path.append(str(PIPELINES / "dataflow"))
import template  # noqa: E402

PINNED = {
    "type": "string",
    "pattern": r"(:[\w.-]*\d[\w.-]*|@sha256:[0-9a-f]{64}|:\d+\.\d+\.\d+\})$",
}
COMPOSE_SCHEMA = {
    "type": "object",
    "required": ["name", "services"],
    "properties": {
        "services": {
            "additionalProperties": {
                "type": "object",
                "required": ["image"],
                "properties": {
                    "image": PINNED,
                    # Published on loopback, or not at all.
                    "ports": {"items": {"type": "string", "pattern": r"^127\.0\.0\.1:\d+:\d+$"}},
                    "network_mode": {"type": "string", "pattern": r"^service:taskmanager-\d$"},
                    "privileged": False,
                },
            }
        }
    },
}
CONTAINER = {
    "type": "object",
    "required": ["name"],
    "properties": {
        "image": PINNED,
        "resources": {"required": ["requests", "limits"]},
        "securityContext": {"properties": {"runAsNonRoot": {"const": True}}},
        "hostNetwork": False,
    },
}
KINDS = {
    "FlinkDeployment": {
        "required": ["flinkVersion", "image", "flinkConfiguration", "jobManager", "taskManager"],
        "properties": {
            "image": PINNED,
            "flinkConfiguration": {
                "type": "object",
                "additionalProperties": {"type": "string"},
                "properties": {
                    "taskmanager.numberOfTaskSlots": {"const": "1"},
                    "restart-strategy.type": {"const": "fixed-delay"},
                },
                "required": ["taskmanager.numberOfTaskSlots", "restart-strategy.type"],
            },
        },
    },
    "NetworkPolicy": {
        "required": ["podSelector", "policyTypes", "ingress"],
        "properties": {"ingress": {"items": {"required": ["from", "ports"]}}},
    },
    "Job": {"required": ["template"]},
}
METADATA_SCHEMA = {
    "type": "object",
    "required": ["name", "description", "parameters"],
    "additionalProperties": False,
    "properties": {
        "name": {"type": "string"},
        "description": {"type": "string"},
        "parameters": {
            "items": {
                "type": "object",
                "required": ["name", "label", "helpText"],
                "additionalProperties": False,
                "properties": {
                    "name": {"pattern": "^[a-z_]+$"},
                    "label": {"type": "string"},
                    "helpText": {"type": "string"},
                    "isOptional": {"type": "boolean"},
                    "regexes": {"type": "array", "items": {"type": "string"}},
                },
            }
        },
    },
}


def test_compose() -> None:
    jsonschema.validate(COMPOSE, COMPOSE_SCHEMA)
    services = COMPOSE["services"]
    managers = [name for name in services if name.startswith("taskmanager")]
    pools = [each for each in services.values() if each.get("command") == ["--worker_pool"]]
    assert sorted(each["network_mode"] for each in pools) == [
        f"service:{name}" for name in managers
    ]
    flink = yaml.safe_load(services["jobmanager"]["environment"]["FLINK_PROPERTIES"])
    assert flink["taskmanager.numberOfTaskSlots"] == 1
    assert flink["parallelism.default"] == len(managers)
    seconds = int(flink["restart-strategy.fixed-delay.delay"].split()[0])
    assert (
        seconds * flink["restart-strategy.fixed-delay.attempts"] * 1000 > flink["heartbeat.timeout"]
    )
    assert_same_flink([each["image"] for each in services.values()])


def assert_same_flink(images: list[str]) -> None:
    """Flink's minor version is the same in the cluster and in Beam's job server, and Beam's is ours."""
    server = next(each for each in images if "job_server" in each)
    minor, beam = re.fullmatch(r"apache/beam_flink([\d.]+)_job_server:([\d.]+)", server).groups()  # type: ignore[union-attr]
    assert beam == version("apache-beam")
    assert {each.split(":")[1].rpartition(".")[0] for each in images if each.startswith("flink:")} == {
        f"{minor}.3-scala_2"
    }  # fmt: skip


def containers() -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = []
    for each in KUBERNETES:
        if each["kind"] == "FlinkDeployment":
            found += each["spec"]["taskManager"]["podTemplate"]["spec"]["containers"]
        if each["kind"] == "Job":
            pod = each["spec"]["template"]["spec"]
            found += [*pod["initContainers"], *pod["containers"]]
    return found


def test_kubernetes() -> None:
    for each in KUBERNETES:
        assert each["metadata"]["name"]
        jsonschema.validate(each["spec"], KINDS[each["kind"]])
    for each in containers():
        jsonschema.validate(each, CONTAINER)
    cluster = KUBERNETES[0]["spec"]
    assert cluster["flinkVersion"] == "v" + "_".join(cluster["image"].split(":")[1].split(".")[:2])
    assert_same_flink([cluster["image"], *(each.get("image", "") for each in containers())])
    (command,) = (each for each in containers() if each["name"] == "sentchunk")
    parallelism = next(each for each in command["args"] if each.startswith("--parallelism="))
    assert cluster["taskManager"]["replicas"] == int(parallelism.partition("=")[2]) + 1


def test_the_pools_are_reached_from_within_alone() -> None:
    """No policy lets anyone in on the pool's port, or on that on which the job server takes orders."""
    policies = [each["spec"] for each in KUBERNETES if each["kind"] == "NetworkPolicy"]
    assert [each["podSelector"]["matchLabels"]["app"] for each in policies] == [
        "sentchunk", "sentchunk-submit"
    ]  # fmt: skip
    for policy in policies:
        for rule in policy["ingress"]:
            for port in rule["ports"]:
                opened = range(port["port"], port.get("endPort", port["port"]) + 1)
                assert 50000 not in opened
                assert not {8097, 8098, 8099} & set(opened)


def commands() -> list[list[str]]:
    job = next(each for each in containers() if each["name"] == "sentchunk")
    compose = COMPOSE["services"]["sentchunk"]["entrypoint"]
    return [
        [*job["command"], *job["args"]],
        [*compose, "/data/in", "--output", "/data/out", "--max-size", "1000"],
    ]


@pytest.mark.parametrize("command", commands(), ids=["kubernetes", "compose"])
def test_the_command_that_is_submitted_is_one(command: list[str]) -> None:
    assert command[:2] == ["sentchunk", "chunk"]
    options, rest = with_runner_options(*split_beam_options(command[1:]), parser())
    parser().parse_args(rest)
    assert options.get_all_options()["environment_cache_millis"] == "60000"


def test_the_image_has_what_the_wheel_needs() -> None:
    text = (PIPELINES / "worker" / "requirements.txt").read_text()
    pinned = dict(re.findall(r"^([\w-]+)==(\S+)$", text, re.MULTILINE))
    needed = {
        re.match(r"[\w-]+", each)[0]  # type: ignore[index]
        for each in requires("sentchunk-beam") or []
        if "extra ==" not in each
    }
    assert set(pinned) | {"apache-beam"} == needed
    dockerfile = DOCKERFILE.read_text()
    assert f"ARG BEAM={version('apache-beam')}" in dockerfile
    assert f"apache-beam[aws,gcp]=={version('apache-beam')}" in dockerfile
    worker = dockerfile.partition(" AS worker\n")[2].partition("\nFROM ")[0]
    assert re.findall(r"^USER (\S+)$", worker, re.MULTILINE) == ["10001"]
    assert "HEALTHCHECK" in worker
    for copied in re.findall(r"^COPY (?!--from)(.*) \S+$", dockerfile, re.MULTILINE):
        assert all((REPOSITORY / each).exists() for each in copied.split())


def test_dockerfile_lint() -> None:
    hadolint = Path(sys.executable).parent / "hadolint"
    if not hadolint.exists():
        missing("hadolint is missing: install the extra `test`, on Linux")
    ended = subprocess.run([hadolint, DOCKERFILE], capture_output=True, text=True, check=False)
    assert (ended.returncode, ended.stdout) == (0, "")


@pytest.mark.parametrize(
    "script",
    [*(REPOSITORY / "tools" / "engines").iterdir(), PIPELINES / "spark" / "submit"],
    ids=lambda each: each.name,
)
def test_scripts(script: Path) -> None:
    assert subprocess.run(["bash", "-n", script], check=False).returncode == 0
    assert script.stat().st_mode & 0o111
    if shellcheck := shutil.which("shellcheck"):
        assert subprocess.run([shellcheck, script], check=False).returncode == 0


def test_flex_template() -> None:
    metadata = json.loads((PIPELINES / "dataflow" / "metadata.json").read_text())
    jsonschema.validate(metadata, METADATA_SCHEMA)
    ours = option_names(parser())
    for each in metadata["parameters"]:
        for pattern in each.get("regexes", []):
            re.compile(pattern)
        beams = split_beam_options([f"--{each['name']}=x"])[1] == []
        assert each["name"] == "input" or beams or f"--{each['name'].replace('_', '-')}" in ours


def test_what_the_launcher_gives_is_the_command() -> None:
    given = [
        "--input=gs://b/a.parquet,gs://b/c", "--output=gs://b/out", "--max_size=9", "--id_column=",
        "--resume=true", "--project=p", "--sdk_container_image=i", "--job_name=j", "--region=r",
        "--template_location=gs://b/t", "--experiments=x",
    ]  # fmt: skip
    arguments = ["chunk", "--runner=DataflowRunner", *template.arguments_of(given)]
    options, rest = split_beam_options(arguments)
    parsed = parser().parse_args(rest)
    assert parsed.inputs == ["gs://b/a.parquet", "gs://b/c"]
    assert (parsed.output, parsed.max_size, parsed.id_column) == ("gs://b/out", 9, None)
    assert parsed.resume is True
    found = options.get_all_options()
    assert (found["project"], found["experiments"]) == ("p", ["x"])
    assert found["template_location"] == "gs://b/t"
