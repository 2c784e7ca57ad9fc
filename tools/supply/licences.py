"""Which licences packages may have. All of these let Parley be used, changed and sold; a new one is a decision, not an accident."""

from __future__ import annotations

import re
from importlib.metadata import Distribution

# SPDX identifiers. Copyleft ones bind only the package itself: it is used unchanged, as a library of its own.
ALLOWED = frozenset(
    {
        *("0BSD", "AFL-2.1", "Apache-2.0", "BlueOak-1.0.0", "BSD-2-Clause", "BSD-3-Clause", "ISC", "MIT", "MIT-0", "MIT-CMU"),
        *("PSF-2.0", "Python-2.0", "TCL", "Unlicense", "Zlib", "ZPL-2.1"),
        *("EPL-2.0", "LGPL-3.0-only", "MPL-2.0"),
        "OFL-1.1",  # fonts
        "CC-BY-4.0",  # data: which browsers know what, for the build alone
    }
)
# Packages whose own words name no licence, read by hand.
EXCEPTIONS = {
    "fido2": "BSD-2-Clause",  # the text itself stands in the field
    "jstat": "MIT",  # in a field that npm no longer has
    "khroma": "MIT",  # its file says so, its package.json does not
    "valkey": "MIT",
    "@modelcontextprotocol/server-everything": "MIT",  # development only: "SEE LICENSE IN LICENSE"
}
# What packages write where SPDX has a name.
WORDS = {
    "3-clause bsd license": "BSD-3-Clause",
    "apache 2.0": "Apache-2.0",
    "apache license, version 2.0": "Apache-2.0",
    "apache software license": "Apache-2.0",
    "bsd": "BSD-3-Clause",
    "bsd 2-clause license": "BSD-2-Clause",
    "bsd license": "BSD-3-Clause",
    "isc license (iscl)": "ISC",
    "mit license": "MIT",
    "mozilla public license 2.0 (mpl 2.0)": "MPL-2.0",
    "new bsd": "BSD-3-Clause",
    "psfl": "PSF-2.0",
    "python software foundation license": "PSF-2.0",
}
MAX_WORDS_CHARS = 40  # a longer text is the licence itself, for which the classifiers speak


def licence_of_distribution(package: Distribution) -> str:
    """Return the licence of an installed Python package: its expression, or else its own words or classifiers in SPDX's names."""
    fields = package.metadata
    words = next((str(fields[name]) for name in ("License-Expression", "License") if name in fields), "")
    if 0 < len(words) <= MAX_WORDS_CHARS and is_allowed(package.name, spdx(words)):
        return spdx(words)
    licences = [spdx(line.split("::")[-1]) for line in fields.get_all("Classifier", []) if line.startswith("License ::")]
    return " OR ".join(dict.fromkeys(licences)) or words[:MAX_WORDS_CHARS]


def spdx(words: str) -> str:
    return WORDS.get(words.strip().lower(), words.strip())


def is_allowed(name: str, licence: str) -> bool:
    """Return whether the list allows the licence, an SPDX expression: of alternatives one, of parts each."""
    text = EXCEPTIONS.get(name.lower(), licence).replace("(", " ( ").replace(")", " ) ")
    words = [word for word in map(str.strip, re.split(r"(\bOR\b|\bAND\b|[()])", text)) if word]
    values = [{"OR": "or", "AND": "and", "(": "(", ")": ")"}.get(word, str(word in ALLOWED)) for word in words]
    return bool(licence or name.lower() in EXCEPTIONS) and _value(values)


def _value(tokens: list[str]) -> bool:
    """Return the value of a boolean expression of True, False, and, or and brackets: the inner brackets first."""
    text = " ".join(tokens)
    while "(" in text:
        shorter = re.sub(r"\( ([^()]*) \)", lambda inner: str(_evaluate_flat(inner[1])), text)
        if shorter == text:
            return False
        text = shorter
    return _evaluate_flat(text)


def _evaluate_flat(text: str) -> bool:
    return any(all(part.strip() == "True" for part in alternative.split("and")) for alternative in text.split("or"))
