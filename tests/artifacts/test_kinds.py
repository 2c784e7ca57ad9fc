"""The table of artifact kinds, which the browser has too."""

from __future__ import annotations

import pytest

from artifacts.errors import UnknownFormat
from artifacts.exports import ExportSource, artifact_download
from artifacts.kinds import KINDS, ArtifactKind, kinds_for_browser


@pytest.mark.parametrize("kind", KINDS.values(), ids=list(KINDS))
def test_the_server_makes_every_file_that_the_browser_offers(kind: ArtifactKind) -> None:
    with pytest.raises(UnknownFormat) as error:
        artifact_download(ExportSource("Tea", kind, ""), "none")
    format_names = str(error.value).removesuffix(".").split(" as ")[1].split(", ")
    assert {"source", *(form.name for form in kind.exports)} <= {*format_names}


@pytest.mark.parametrize("kind", KINDS.values(), ids=list(KINDS))
def test_a_source_comes_with_the_type_that_the_browser_gives_it(kind: ArtifactKind) -> None:
    download = artifact_download(ExportSource("Tea", kind, "A"), "source")
    browser = kinds_for_browser()[kind.name]
    assert (download.media_type, download.name) == (browser["mime"], f"Tea.{browser['extension']}")
