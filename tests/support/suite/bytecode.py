"""Compiles the test modules of a fresh clone once, not once in each worker."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from importlib import import_module
from pathlib import Path

import pytest


def import_own_share(config: pytest.Config) -> None:
    """In a run of all tests, import this worker's share of the modules first, so that the other workers find them compiled.

    To compile takes longer than to collect. What can't be imported is reported by the collection, which imports it again.
    """
    worker = getattr(config, "workerinput", None)  # of xdist
    tests = config.rootpath / "tests"
    if worker is None or tests not in {config.invocation_params.dir / argument for argument in config.args}:
        return
    number, count = int(worker["workerid"].removeprefix("gw")), worker["workercount"]
    for path in [*_modules(tests, config)][number::count]:
        with suppress(Exception, pytest.skip.Exception):
            import_module(".".join(path.relative_to(config.rootpath).with_suffix("").parts))


def _modules(tests: Path, config: pytest.Config) -> Iterator[Path]:
    for folder in sorted(tests.iterdir()):
        if not config.hook.pytest_ignore_collect(collection_path=folder, config=config):
            yield from sorted(folder.rglob("test_*.py"))
