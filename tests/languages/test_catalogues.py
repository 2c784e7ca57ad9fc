"""Each marked text is in each catalogue, translated, with the same values; and the compiled file is that of the source."""

from __future__ import annotations

import re

import pytest
from babel.messages.catalog import Catalog

from tools.messages import LOCALES, catalogue_path, catalogue_read, catalogue_update, compiled_bytes, source_bytes, translations

LANGUAGES = sorted(folder.name for folder in LOCALES.iterdir())
VALUES = re.compile(r"%\((\w+)\)|%[sd]|\{\w*\}")


@pytest.fixture(scope="module", params=LANGUAGES)
def catalogue(request: pytest.FixtureRequest) -> Catalog:
    return catalogue_read(request.param)


def test_the_catalogue_has_every_marked_text_and_no_other(catalogue: Catalog) -> None:
    new_catalogue = catalogue_update(str(catalogue.locale))
    assert catalogue_path(str(catalogue.locale)).read_bytes() == source_bytes(new_catalogue), (
        "run `make messages` and translate what is new"
    )


def test_each_text_is_translated_with_the_same_values(catalogue: Catalog) -> None:
    for message in catalogue:
        if not message.id:
            continue
        texts = (message.id,) if isinstance(message.id, str) else message.id
        assert all(translations(message)), f"not translated: {texts[0]}"
        assert not message.fuzzy, texts[0]
        for text, translation in zip(texts, translations(message), strict=True):
            assert set(VALUES.findall(text)) == set(VALUES.findall(translation)), text


def test_the_compiled_catalogue_is_that_of_the_source(catalogue: Catalog) -> None:
    compiled_path = catalogue_path(str(catalogue.locale)).with_suffix(".mo")
    assert compiled_path.read_bytes() == compiled_bytes(catalogue), "run `make messages`"
