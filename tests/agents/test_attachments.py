"""Which files a call carries as they are."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Collection, Mapping
from dataclasses import replace

from agents.messages import File, FinishReason, ModelEvent, ModelRequest, ModelResponse, ModelSettings, NativeFileKind, SystemPrompt
from agents.runtime.files import MAX_CALL_BYTES, RunAnswerFiles, RunAttachments, native_file_ids
from files.errors import FileEmpty
from files.models import File as StoredFile
from tests.support.agents.model_calls import routed

MEGABYTE = 1024 * 1024


def file(file_id: str, media_type: str = "image/png", megabytes: int = 1, pages: int | None = None) -> File:
    return File(file_id, file_id, media_type, megabytes * MEGABYTE, pages=pages)


def paper(file_id: str, pages: int | None) -> File:
    return file(file_id, "application/pdf", pages=pages)


def request(*files: File, native: tuple[NativeFileKind, ...] = ("image", "pdf")) -> ModelRequest:
    return ModelRequest(model="m", system=SystemPrompt(""), entries=files, settings=ModelSettings(native_files=native))


def test_only_kinds_that_the_model_takes_and_the_newest_that_fit_together() -> None:
    image, pdf, text = file("image"), file("pdf", "application/pdf"), file("text", "text/csv")
    assert native_file_ids(request(image, pdf, text)) == ("pdf", "image")
    assert native_file_ids(request(image, pdf, text, native=("image",))) == ("image",)
    assert native_file_ids(request(image, pdf, native=())) == ()
    assert MAX_CALL_BYTES * 4 / 3 < 31_000_000, "in base64 it leaves a megabyte of Claude's 32 for the conversation"
    assert native_file_ids(request(file("a", megabytes=5), file("b", megabytes=15), file("c", megabytes=7))) == ("c", "b")
    assert native_file_ids(request(file("a", megabytes=5), file("b", megabytes=15), file("c", megabytes=10))) == ("c", "a")
    assert native_file_ids(request(image, image)) == ("image",), "twice in the conversation, once on the wire"


def test_the_newest_that_have_no_more_pages_than_the_api_takes() -> None:
    def native_ids(*files: File, max_pages: int | None = 100) -> tuple[str, ...]:
        model_request = request(*files)
        return native_file_ids(replace(model_request, settings=replace(model_request.settings, max_native_pages=max_pages)))

    book = paper("book", 101)
    assert native_ids(book, file("image")) == ("image",)
    assert native_ids(book, file("image"), max_pages=None) == ("image", "book")
    assert native_ids(paper("a", 50), paper("b", 60), paper("c", 39), file("image")) == ("image", "c", "b")
    assert native_ids(paper("unknown", None), paper("b", 100)) == ("b",)
    assert native_ids(paper("broken", 0), max_pages=None) == ()


class Store:
    """Counts what is asked for; "lost" is not there."""

    def __init__(self) -> None:
        self.reads: list[list[str]] = []

    async def read(self, file_ids: Collection[str]) -> Mapping[str, bytes]:
        self.reads.append([*file_ids])
        return {file_id: file_id.encode() for file_id in file_ids if file_id != "lost"}


class Model:
    def __init__(self) -> None:
        self.attachments: list[dict[str, bytes]] = []

    async def stream(self, request: ModelRequest) -> AsyncGenerator[ModelEvent, None]:
        self.attachments.append(dict(request.attachments))
        yield ModelResponse((), FinishReason.STOP)


class NoFiles:
    async def keep(self, content_base64: str, stem: str) -> StoredFile:
        raise FileEmpty


async def test_each_file_is_read_once_a_run_and_a_lost_one_is_left_to_its_text() -> None:
    store, model = Store(), Model()
    attaching = routed(model, attachments=RunAttachments(store), answer_files=RunAnswerFiles(NoFiles()))
    for files in ([file("a")], [file("a"), file("lost")], [file("a"), file("b")]):
        async for _ in attaching.stream(request(*files)):
            pass
    assert model.attachments == [{"a": b"a"}, {"a": b"a"}, {"a": b"a", "b": b"b"}]
    assert store.reads == [["a"], ["lost"], ["b"]]
