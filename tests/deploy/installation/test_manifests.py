"""What no cluster and no daemon could be asked here: every manifest fits its schema, and every name that one file takes from another is there."""

from __future__ import annotations

import base64
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from config.__main__ import PROCESSES
from tenants.lanes.table import LANES
from tests.telemetry.test_documents import promtool, series
from tools.embedded.layout import ROOT

DEPLOY = ROOT / "deploy"
KUBERNETES = DEPLOY / "kubernetes"
MANIFESTS = [path for path in sorted(KUBERNETES.rglob("*.yaml")) if path.name != "kustomization.yaml"]
KUSTOMIZATIONS = sorted(KUBERNETES.rglob("kustomization.yaml"))
COMMANDS = {*PROCESSES, "migrate"}
LINTERS = ROOT / ".data-deploy" / "linters" / "bin"


def documents(paths: list[Path]) -> list[dict[str, Any]]:
    return [document for path in paths for document in yaml.safe_load_all(path.read_text())]


def names_of(kind: str) -> set[str]:
    return {each["metadata"]["name"] for each in documents(MANIFESTS) if each["kind"] == kind}


def pods() -> Iterator[dict[str, Any]]:
    yield from (each["spec"]["template"]["spec"] for each in documents(MANIFESTS) if each["kind"] in {"Deployment", "Job"})


def run(*command: str) -> None:
    result = subprocess.run(command, capture_output=True, text=True, cwd=ROOT, timeout=300)
    assert result.returncode == 0, result.stdout + result.stderr


def test_the_containerfile_is_clean() -> None:
    run(str(LINTERS / "hadolint"), str(DEPLOY / "Containerfile"))


@pytest.mark.parametrize("path", MANIFESTS, ids=lambda path: path.name)
def test_a_manifest_fits_the_schema(path: Path) -> None:
    run(str(LINTERS / "kubernetes-validate"), "--strict", str(path))


def test_kustomizations_name_what_is_there() -> None:
    maps = set[str]()
    for path in KUSTOMIZATIONS:
        kustomization = yaml.safe_load(path.read_text())
        for resource in kustomization.get("resources", []):
            target = path.parent / resource
            assert target.is_file() or (target / "kustomization.yaml").is_file(), resource
        maps |= {each["name"] for each in kustomization.get("configMapGenerator", [])}
        for patch in kustomization.get("patches", []):
            assert patch["target"]["name"] in names_of(patch["target"]["kind"])
    resources = {
        (path.parent / each).resolve() for path in KUSTOMIZATIONS for each in yaml.safe_load(path.read_text()).get("resources", [])
    }
    assert {*MANIFESTS} <= resources
    for pod in pods():
        [container] = pod["containers"]
        sources = [each for source in container["envFrom"] for each in source.values()]
        assert {source["name"] for source in sources} <= maps | {"parley"}  # the Secret is made by hand
        assert container["args"][0] in COMMANDS
        assert {mount["name"] for mount in container["volumeMounts"]} == {volume["name"] for volume in pod["volumes"]}
        claims = {volume["persistentVolumeClaim"]["claimName"] for volume in pod["volumes"] if "persistentVolumeClaim" in volume}
        assert claims <= names_of("PersistentVolumeClaim")


def test_with_files_in_a_bucket_no_pod_mounts_the_claim() -> None:
    component = yaml.safe_load((KUBERNETES / "components" / "files-in-bucket" / "kustomization.yaml").read_text())
    target_names = {patch["target"]["name"] for patch in component["patches"]}
    for each in documents(MANIFESTS):
        if each["kind"] in {"Deployment", "Job"} and "persistentVolumeClaim" in str(each):
            assert each["metadata"]["name"] in target_names
            assert each["spec"]["template"]["spec"]["volumes"][1]["name"] == "files"


def test_policies_name_pods_and_ports_that_are_there() -> None:
    pods = [each["spec"]["template"] for each in documents(MANIFESTS) if each["kind"] in {"Deployment", "Job"}]
    policies = {each["metadata"]["name"]: each["spec"] for each in documents(MANIFESTS) if each["kind"] == "NetworkPolicy"}
    for policy in policies.values():
        policy_pods = [pod for pod in pods if policy["podSelector"]["matchLabels"].items() <= pod["metadata"]["labels"].items()]
        named_ports = {port["name"] for pod in policy_pods for each in pod["spec"]["containers"] for port in each.get("ports", [])}
        assert policy_pods
        assert {port["port"] for rule in policy.get("ingress", []) for port in rule["ports"]} <= named_ports
    assert [rule["from"] for rule in policies["parley-metrics"]["ingress"]]  # not from everywhere


def test_workers_serve_all_lanes() -> None:
    services = yaml.safe_load((DEPLOY / "compose.yaml").read_text())["services"].values()
    for commands in (
        [each.get("command", []) for each in services],
        [container["args"] for pod in pods() for container in pod["containers"]],
    ):
        workers = [command for command in commands if command[:1] == ["worker"]]
        assert sorted(lane for _, _, lanes in workers for lane in lanes.split(",")) == sorted(LANES)


def test_disruption_budgets_services_and_autoscalers_have_their_pods() -> None:
    labels = [each["spec"]["template"]["metadata"]["labels"] for each in documents(MANIFESTS) if each["kind"] == "Deployment"]
    for each in documents(MANIFESTS):
        if each["kind"] == "PodDisruptionBudget":
            assert each["spec"]["selector"]["matchLabels"] in labels
        if each["kind"] == "Service":
            assert each["spec"]["selector"] in labels
        if each["kind"] == "HorizontalPodAutoscaler":
            assert each["spec"]["scaleTargetRef"]["name"] in names_of("Deployment")


def test_autoscalers_read_what_the_adapter_gives_and_parley_exposes(tmp_path: Path) -> None:
    """Each with the labels that its metric has: an autoscaler whose metric is missing says so in its status alone, and never scales."""
    metric_labels, as_rules, records = series(), tmp_path / "rules.yml", list[dict[str, str]]()
    adapter = yaml.safe_load((DEPLOY / "prometheus" / "adapter.yml").read_text())
    rules = {rule["name"]["as"]: rule for rule in (*adapter["rules"], *adapter["externalRules"])}
    for name, rule in rules.items():
        assert rule["seriesQuery"].startswith(f"{name}{{")
        query = rule["metricsQuery"]
        for mark, text in (("<<.Series>>", name), ("<<.LabelMatchers>>", 'namespace="parley"'), ("<<.GroupBy>>", "pod")):
            query = query.replace(mark, text)
        records.append({"record": "parley:asked", "expr": query})
    as_rules.write_text(yaml.safe_dump({"groups": [{"name": "adapter", "rules": records}]}))
    promtool("check", "rules", str(as_rules))
    component = yaml.safe_load((KUBERNETES / "components" / "scale-by-load" / "kustomization.yaml").read_text())
    added = [change["value"] for patch in component["patches"] for change in yaml.safe_load(patch["patch"])]
    scalers = [each["spec"] for each in documents(MANIFESTS) if each["kind"] == "HorizontalPodAutoscaler"]
    metrics = [
        each[each["type"].lower()]["metric"] for each in (*added, *(m for s in scalers for m in s["metrics"])) if each["type"] != "Resource"
    ]
    assert {metric["name"] for metric in metrics} == rules.keys()
    for metric in metrics:
        assert {*metric.get("selector", {}).get("matchLabels", {})} <= metric_labels[metric["name"]]
        assert metric.get("selector", {}).get("matchLabels", {}).get("lane", "files") in LANES


def test_compose_names_what_is_there(tmp_path: Path) -> None:
    compose = yaml.safe_load((DEPLOY / "compose.yaml").read_text())
    services = compose["services"]
    environment = tmp_path / ".env"
    run(sys.executable, str(DEPLOY / "environment.py"), "chat.example.org", str(environment), "--database", "postgres", "--redis", "valkey")
    env = dict(line.split("=", 1) for line in environment.read_text().splitlines())
    variables = set(re.findall(r"\$\{(\w+)", (DEPLOY / "compose.yaml").read_text()))
    assert variables <= env.keys()
    assert env["DATABASE_URL"].endswith("@postgres/parley")
    assert len(base64.b64decode(env["BACKUP_KEY"])) == 32
    for name, service in services.items():
        assert {*service["depends_on"]} <= {*services} if "depends_on" in service else True
        assert {*service["networks"]} <= {*compose["networks"]}, name
        for volume in service.get("volumes", []):
            source = volume.split(":")[0]
            assert (DEPLOY / source).exists() if source.startswith(".") else source in compose["volumes"], volume
        if service["image"].startswith("parley"):
            assert service.get("command", ["web"])[0] in COMMANDS
            assert service["read_only"] is True
            assert service["environment"]["METRICS_PORT"]
            assert "front" in service["networks"] or name == "migrate"  # mails and reports of errors
        assert service["mem_limit"]
        assert service["cpus"]


def test_an_environment_is_never_overwritten_and_nobody_else_reads_it(tmp_path: Path) -> None:
    command = [sys.executable, str(DEPLOY / "environment.py"), "chat.example.org", str(tmp_path / "env")]
    subprocess.run(command, check=True)
    assert (tmp_path / "env").stat().st_mode & 0o777 == 0o600
    before = (tmp_path / "env").read_text()
    again = subprocess.run(command, capture_output=True, text=True)
    assert again.returncode == 1
    assert "left as it is" in again.stderr
    assert (tmp_path / "env").read_text() == before


def test_units_are_sound(tmp_path: Path) -> None:
    for unit in (DEPLOY / "systemd").iterdir():
        text = unit.read_text().replace("/opt/parley/.venv/bin/python", sys.executable)
        (tmp_path / unit.name).write_text(text)
    assert shutil.which("systemd-analyze")
    run("systemd-analyze", "verify", "--man=no", *map(str, sorted(tmp_path.iterdir())))
