"""No model call needs a vendor's SDK: importing one takes up to a second and 65 MB."""

from __future__ import annotations

import subprocess
import sys

SCRIPT = """
import sys
import django
django.setup()
from admin_config.defaults.providers import PROVIDERS
from agents.providers.registry import adapter_class

for provider in PROVIDERS:
    adapter_class(provider)
print(sorted({"google.genai", "openai", "anthropic"} & sys.modules.keys()))
"""


def test_the_adapters_import_no_sdk() -> None:
    result = subprocess.run([sys.executable, "-c", SCRIPT], capture_output=True, text=True, check=True)
    assert result.stdout == "[]\n"
