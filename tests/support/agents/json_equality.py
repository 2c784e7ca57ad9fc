"""Equality of JSON values that tells 1 from 1.0 and from true."""

from __future__ import annotations

import json
from typing import Any


def identical(left: Any, right: Any) -> bool:
    """Equal with equal types, so that 1, 1.0 and true differ."""
    return json.dumps(left) == json.dumps(right)
