"""A Gemini request's contents are the same bytes, whatever an earlier request on the branch left of them."""

from __future__ import annotations

import orjson
from hypothesis import given as given_that, strategies as st

from agents.messages import (
    AnswerFile,
    AssistantText,
    Entry,
    File,
    ModelRequest,
    Reasoning,
    SystemPrompt,
    ToolCall,
    ToolResult,
    UserMessage,
)
from agents.messages.prefix_cache import BranchPrefixCache
from agents.providers.google.contents import CONTENTS_PER_CHUNK, build_contents, contents_json
from tests.agents.context.histories import ANY_HISTORY, property_settings
from tests.agents.providers.harness import MODEL, MODEL_3

PROVIDER = "google"
QUESTION, ANSWER = UserMessage("u"), AssistantText("a")
HUGE = 10**30  # only the standard library writes it


def request_of(
    entries: list[Entry], prefix_cache: BranchPrefixCache, model: str = MODEL, attachments: dict[str, bytes] | None = None
) -> ModelRequest:
    return ModelRequest(
        model=model, system=SystemPrompt(""), entries=tuple(entries), attachments=attachments or {}, prefix_cache=prefix_cache
    )


def written_contents(request: ModelRequest) -> bytes:
    return b"".join(contents_json(request, PROVIDER))


def check_contents(request: ModelRequest) -> bytes:
    contents = written_contents(request)
    assert orjson.loads(contents) == build_contents(request.entries, PROVIDER, request.model, request.attachments)
    return contents


@property_settings
@given_that(ANY_HISTORY, st.lists(st.integers(0, 40), min_size=1, max_size=5), st.sampled_from([MODEL, MODEL_3]))
def test_contents_on_any_branch_are_those_made_anew(history: list[Entry], lengths: list[int], model: str) -> None:
    prefix_cache = BranchPrefixCache()
    for length in lengths:
        branch = history[:length]
        assert check_contents(request_of(branch, prefix_cache, model)) == written_contents(request_of(branch, BranchPrefixCache(), model))


def test_what_is_before_the_question_is_kept_for_the_next_step_and_the_next_run() -> None:
    prefix_cache = BranchPrefixCache()
    history: list[Entry] = [QUESTION, ANSWER] * 50
    prefixes = []
    for later in ([QUESTION], [QUESTION, ANSWER], [QUESTION, ANSWER, QUESTION]):
        check_contents(request_of([*history, *later], prefix_cache))
        prefixes.append(prefix_cache.find("google contents", [*history, *later]))
    assert [each.length for each in prefixes if each] == [100, 100, 102]
    assert prefixes[0] is prefixes[1]


def test_an_answer_that_left_nothing_parts_no_content() -> None:
    """The unsigned thought goes nowhere, so both questions are one content."""
    prefix_cache = BranchPrefixCache()
    history: list[Entry] = [QUESTION, ANSWER, QUESTION, Reasoning("Only thought of it.")]
    check_contents(request_of([*history, UserMessage("again")], prefix_cache))
    check_contents(request_of([*history, UserMessage("again"), ANSWER, QUESTION], prefix_cache))


def test_what_an_answer_left_pruned_goes_on_with_its_content() -> None:
    """The call was left out before a new release kept calls: it belongs to the content with the text before it."""
    prefix_cache, thought = BranchPrefixCache(), Reasoning("Unsigned.")
    calls: list[Entry] = [ToolCall("c", "read", {}), ToolResult("c", "read", "ok")]
    check_contents(request_of([QUESTION, ANSWER, thought, QUESTION], prefix_cache))
    check_contents(request_of([QUESTION, ANSWER, thought, *calls, QUESTION], prefix_cache))


def test_a_history_of_many_pieces_is_one_list() -> None:
    prefix_cache = BranchPrefixCache()
    history: list[Entry] = [QUESTION, ANSWER] * CONTENTS_PER_CHUNK
    for later in ([], [QUESTION], [QUESTION, ANSWER, QUESTION]):
        check_contents(request_of([*history, *later], prefix_cache))


def test_another_model_gets_contents_of_its_own() -> None:
    prefix_cache = BranchPrefixCache()
    history: list[Entry] = [QUESTION, ToolCall("c", "read", {}), ToolResult("c", "read", "ok"), ANSWER, QUESTION]
    for model in (MODEL, MODEL_3, MODEL):
        check_contents(request_of(history, prefix_cache, model))


def test_numbers_that_only_the_standard_library_writes_are_written_alike_with_and_without_a_beginning() -> None:
    prefix_cache = BranchPrefixCache()
    first: list[Entry] = [QUESTION, ToolCall("c", "add", {"a": 1}), ToolResult("c", "add", 1), ANSWER, QUESTION]
    second: list[Entry] = [*first, ToolCall("d", "add", {"a": HUGE}), ToolResult("d", "add", HUGE), ANSWER, QUESTION]
    written_contents(request_of(first, prefix_cache))
    assert written_contents(request_of(second, prefix_cache)) == written_contents(request_of(second, BranchPrefixCache()))


def test_a_file_that_goes_as_it_is_is_not_kept() -> None:
    prefix_cache, image = BranchPrefixCache(), File("f1", "a.png", "image/png", 3)
    history: list[Entry] = [QUESTION, image, ANSWER, QUESTION]
    check_contents(request_of(history, prefix_cache, attachments={"f1": b"png"}))
    check_contents(request_of(history, prefix_cache))
    check_contents(request_of(history, prefix_cache, attachments={"f1": b"png"}))


def test_an_image_of_the_models_own_whose_bytes_do_not_go_along_is_told_of() -> None:
    """They are lost, too many for one request, or the model takes no images any more."""
    provider_metadata = {"provider": PROVIDER, "model": MODEL, "parts": [{"inlineData": {"mimeType": "image/png"}}]}
    image = AnswerFile("f1", "a.png", "image/png", 3, provider_metadata=provider_metadata)
    for answer in ([image], [ANSWER, image], [image, ANSWER], [ToolCall("c", "read", {}), ToolResult("c", "read", "ok"), image]):
        prefix_cache, history = BranchPrefixCache(), [QUESTION, *answer, QUESTION]
        assert b"a.png" in check_contents(request_of(history, prefix_cache))
        check_contents(request_of([*history, ANSWER, QUESTION], prefix_cache))
        check_contents(request_of([*history, ANSWER, QUESTION], prefix_cache, attachments={"f1": b"png"}))
