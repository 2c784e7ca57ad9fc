"""Files in their native form: helpers that the wires share, and the conversion of files that a model made."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Iterable, Iterator, Mapping
from itertools import groupby
from types import MappingProxyType

from agents.messages import AnswerFile, Entry, File, NativeFileKind, ResponseEntry, ToolCall

IMAGE_TYPES = frozenset({"image/png", "image/jpeg", "image/gif", "image/webp"})  # the image types common to these APIs
PDF = "application/pdf"
NO_FILES: Mapping[str, bytes] = MappingProxyType({})
ASSISTANT_SOURCE = "assistant"  # the source of a File that stands for a file made by a model
MODEL_IMAGE_TEXT = "The assistant made this image. It is not part of this text."
REMOTE_IMAGE_TEXT = "The provider gave an address in place of an image, which is not fetched."
NOT_STORED_TEXT = "The assistant made a file here, which was not kept."


def with_model_files_as_files(
    entries: Iterable[Entry], provider: str, model: str, attachments: Mapping[str, bytes], *, takes_back_own_files: bool = False
) -> Iterable[Entry]:
    """Return the entries with files made by a model as Files, like a member's, because no wire accepts them in another model's answer.

    Such a file precedes the calls of its answer, whose results must directly follow them. With `takes_back_own_files`, the wire takes back
    its own model's files in their original form; those stay AnswerFiles.
    """
    entries = tuple(entries)
    if AnswerFile not in map(type, entries):
        return entries

    def is_own(entry: AnswerFile) -> bool:
        provider_metadata = entry.provider_metadata or {}
        return (
            takes_back_own_files
            and entry.id in attachments
            and (provider_metadata.get("provider"), provider_metadata.get("model")) == (provider, model)
        )

    wire_entries = (_as_user_file(entry) if isinstance(entry, AnswerFile) and not is_own(entry) else entry for entry in entries)
    return _files_before_calls(wire_entries)


def _as_user_file(file: AnswerFile) -> File:
    text = MODEL_IMAGE_TEXT if file.id else f"{NOT_STORED_TEXT} {file.problem}"
    return File(file.id, file.name, file.media_type, file.size_bytes, text, source=ASSISTANT_SOURCE)


def _files_before_calls(entries: Iterable[Entry]) -> Iterator[Entry]:
    """Move model files before the calls of their answer. Everything else keeps its order, which a provider may have signed."""
    for _, group in groupby(entries, lambda entry: isinstance(entry, ResponseEntry) or _is_model_file(entry)):
        answer = list(group)
        first_call = next((place for place, entry in enumerate(answer) if isinstance(entry, ToolCall)), len(answer))
        yield from answer[:first_call]
        yield from sorted(answer[first_call:], key=lambda entry: not _is_model_file(entry))


def _is_model_file(entry: Entry) -> bool:
    return isinstance(entry, File) and entry.source == ASSISTANT_SOURCE


def native_kind(file: File, attachments: Mapping[str, bytes]) -> NativeFileKind | None:
    """Return the native form of the file; None to send it as text, because its bytes are missing or no API accepts its type."""
    if not attachments.get(file.id):
        return None
    if file.media_type in IMAGE_TYPES:
        return "image"
    return "pdf" if file.media_type == PDF else None


def sent_type(file: File) -> str:
    """Return the media type of the file's attachment. A GIF's is its first frame as PNG (files.selectors.ConversationFiles)."""
    return "image/png" if file.media_type == "image/gif" else file.media_type


def base64_text(data: bytes) -> str:
    return b64encode(data).decode()


def data_url(file: File, data: bytes) -> str:
    return f"data:{sent_type(file)};base64,{base64_text(data)}"


def parse_data_url(url: str) -> AnswerFile:
    """Return the file in a server's data URL, or one with a `problem` for any other URL. Nothing is ever fetched."""
    head, comma, data = url.partition(",")
    if not comma or not head.startswith("data:") or not head.endswith(";base64"):
        return AnswerFile("", "", "", problem=REMOTE_IMAGE_TEXT)
    return AnswerFile("", "", head.removeprefix("data:").removesuffix(";base64"), unsaved_base64=data)
