"""What operators read of the metrics is true: the table of docs/metrics.md, the dashboard, and the rules that raise alerts."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml
from prometheus_client import Counter, Gauge, Histogram

from telemetry import families

ROOT = Path(__file__).resolve().parents[2]
ALERTS = ROOT / "deploy" / "prometheus" / "alerts.yml"
DASHBOARD = ROOT / "deploy" / "grafana" / "parley.json"
NAME = re.compile(r"\bparley_[a-z_]+")

Family = Counter | Gauge | Histogram


def all_families() -> list[Family]:
    """In the order of the module."""
    return [family for family in vars(families).values() if isinstance(family, Counter | Gauge | Histogram)]


def exposed(family: Family) -> str:
    return f"{family._name}_total" if isinstance(family, Counter) else family._name


def table() -> str:
    """The table as docs/metrics.md must have it."""
    rows = ["| metric | type | labels | |", "|---|---|---|---|"]
    for family in all_families():
        labels = ", ".join(f"`{name}`" for name in family._labelnames) or "-"
        rows.append(f"| `{exposed(family)}` | {family._type} | {labels} | {family._documentation} |")
    return "\n".join(rows)


def test_the_table_of_the_metrics_is_that_of_the_code() -> None:
    assert table() in (ROOT / "docs" / "metrics.md").read_text(), f"docs/metrics.md needs this table:\n{table()}"


def queries(of: Path) -> Iterator[str]:
    if of.suffix == ".json":
        panels: list[dict[str, Any]] = json.loads(of.read_text())["panels"]
        yield from (target["expr"] for panel in panels for target in panel.get("targets", ()))
    else:
        yield from (rule["expr"] for group in yaml.safe_load(of.read_text())["groups"] for rule in group["rules"])


def series() -> dict[str, set[str]]:
    """The labels of each name that Prometheus may be asked for."""
    labels_by_name: dict[str, set[str]] = {}
    for family in all_families():
        labels = {*family._labelnames, "instance"}
        if isinstance(family, Histogram):
            labels_by_name |= {f"{family._name}_bucket": {*labels, "le"}, f"{family._name}_sum": labels, f"{family._name}_count": labels}
        else:
            labels_by_name[exposed(family)] = labels
    return labels_by_name


@pytest.mark.parametrize("path", [ALERTS, DASHBOARD], ids=lambda path: path.name)
def test_rules_and_dashboard_ask_for_metrics_and_labels_that_there_are(path: Path) -> None:
    labels_by_name = series()
    for query in queries(path):
        names = NAME.findall(query)
        assert names, query
        assert [name for name in names if name not in labels_by_name] == [], query
        labels = {label for name in names for label in labels_by_name[name]}
        query_labels = {word.strip() for words in re.findall(r"by \(([^)]*)\)", query) for word in words.split(",")}
        query_labels |= {label for words in re.findall(r"\{([^}]*)\}", query) for label in re.findall(r"(\w+)\s*[=!]", words)}
        assert query_labels <= labels, query


def test_the_dashboard_shows_every_metric() -> None:
    names = {name for query in queries(DASHBOARD) for name in NAME.findall(query)}
    missing = [exposed(family) for family in all_families() if not {name for name in names if name.startswith(family._name)}]
    assert missing == []


needs_promtool = pytest.mark.skipif(shutil.which("promtool") is None, reason="promtool is not installed")


@needs_promtool
def test_the_rules_raise_alerts_for_what_is_broken_and_for_nothing_else() -> None:
    for command in (["check", "rules", ALERTS], ["test", "rules", ALERTS.with_name("alerts_test.yml")]):
        promtool(*map(str, command))


@needs_promtool
def test_prometheus_understands_the_queries_of_the_dashboard(tmp_path: Path) -> None:
    expressions = [query.replace("$__rate_interval", "5m") for query in queries(DASHBOARD)]
    rules = [{"record": f"dashboard:{number}", "expr": expression} for number, expression in enumerate(expressions)]
    as_rules = tmp_path / "rules.yml"
    as_rules.write_text(yaml.safe_dump({"groups": [{"name": "dashboard", "rules": rules}]}))
    promtool("check", "rules", str(as_rules))


def promtool(*arguments: str) -> None:
    result = subprocess.run(["promtool", *arguments], capture_output=True, text=True)
    assert result.returncode == 0, result.stdout + result.stderr
