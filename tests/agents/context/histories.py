"""Random histories for property tests: as runs really write them, and as nothing should ever write them."""

from __future__ import annotations

from collections.abc import Sequence

from hypothesis import settings, strategies as st

from agents.context.compaction import Turns
from agents.context.policy import ContextPolicy, Pruning
from agents.context.view import ContextView
from agents.messages import (
    ApprovalRequest,
    ArtifactReference,
    AssistantText,
    ClientData,
    CompactedHistory,
    Entry,
    File,
    Notice,
    NoToolCallRetry,
    ProviderToolCall,
    Reasoning,
    Reminder,
    Source,
    ToolCall,
    ToolResult,
    UserMessage,
    WorkflowStep,
)


def group_turns(entries: Sequence[Entry]) -> Turns:
    turns = Turns()
    for entry in entries:
        turns.add(entry)
    return turns


# The same examples in every run: a failure on one machine is a failure on all.
property_settings = settings(derandomize=True, deadline=None, max_examples=80)

TEXTS = st.one_of(
    st.sampled_from(["", "hello", "line\nline", "größer", "長い文章", "a {b} c"]), st.integers(1, 200).map(lambda size: "word " * size)
)
TOOLS = st.sampled_from(["read", "write", "search"])
PRUNINGS: st.SearchStrategy[Pruning] = st.sampled_from(["none", "before_last_message", "all"])
POLICIES = st.builds(
    ContextPolicy,
    window_tokens=st.integers(300, 3000),
    tail=st.sampled_from([0.05, 0.15, 0.4]),
    prune_reasoning=PRUNINGS,
    prune_tool_calls=PRUNINGS,
    prune_tools=st.lists(st.tuples(TOOLS, PRUNINGS), max_size=2).map(tuple),
    prune_empty=st.booleans(),
)
UNPRUNED = st.builds(ContextPolicy, window_tokens=st.integers(300, 3000), tail=st.sampled_from([0.05, 0.15, 0.4]))

FILES = st.builds(File, id=st.just("f"), name=st.just("a.txt"), media_type=st.just("text/plain"), size_bytes=st.just(9), text=TEXTS)
REMINDERS = st.one_of(
    st.builds(Reminder, TEXTS, duration=st.one_of(st.none(), st.integers(0, 3))), st.builds(NoToolCallRetry, TEXTS, st.integers(1, 3))
)
SHOWN_ONLY: st.SearchStrategy[Entry] = st.sampled_from(
    [
        ArtifactReference("1", "Poem", "text", 1, "create", "c0"),
        WorkflowStep("Reading."),
        ApprovalRequest("a", "c0"),
        ClientData("title", {}),
        Notice("stopped", "Stopped."),
    ]
)
PROVIDER_PARTS = st.one_of(
    st.builds(ProviderToolCall, st.just("p"), TOOLS, st.just({}), provider_metadata=st.just({"parts": [{}]})),
    st.builds(Source, st.just("https://x")),
)
IDS = st.integers(0, 2).map("c{}".format)
ANY_ENTRY: st.SearchStrategy[Entry] = st.one_of(
    st.builds(UserMessage, TEXTS),
    FILES,
    st.builds(AssistantText, TEXTS),
    st.builds(Reasoning, TEXTS),
    st.builds(ToolCall, IDS, TOOLS, st.dictionaries(st.sampled_from(["path", "q"]), TEXTS, max_size=2)),
    st.builds(ToolResult, IDS, TOOLS, TEXTS, st.booleans()),
    REMINDERS,
    SHOWN_ONLY,
    PROVIDER_PARTS,
    st.builds(CompactedHistory, TEXTS, covers=st.integers(0, 20), kept=st.one_of(st.none(), st.integers(0, 20))),
)
ANY_HISTORY = st.lists(ANY_ENTRY, max_size=30)


@st.composite
def a_step(draw: st.DrawFn) -> list[Entry]:
    """A response with calls, and its results with what may come between and after them. Ids are filled in by `with_call_ids`."""
    preamble = draw(st.lists(st.one_of(st.builds(Reasoning, TEXTS), st.builds(AssistantText, TEXTS), PROVIDER_PARTS), max_size=3))
    calls = [ToolCall("", name, {"path": draw(TEXTS)}) for name in draw(st.lists(TOOLS, min_size=1, max_size=3))]
    after: list[Entry] = []
    for call in calls:
        if draw(st.integers(0, 9)):  # one in ten was stopped
            after.append(ToolResult("", call.name, draw(TEXTS), draw(st.booleans())))
        after += draw(st.lists(SHOWN_ONLY, max_size=1))
    # Without any entry after the calls the next response could not be told from this one.
    return [*preamble, *calls, *(after or [Notice("stopped", "Stopped.")]), *draw(st.lists(REMINDERS, max_size=1))]


@st.composite
def a_message(draw: st.DrawFn) -> list[Entry]:
    return [UserMessage(draw(TEXTS)), *draw(st.lists(FILES, max_size=2))]


@st.composite
def a_reply(draw: st.DrawFn) -> list[Entry]:
    return [Reasoning(draw(TEXTS)), AssistantText(draw(TEXTS)), draw(SHOWN_ONLY)]


def with_call_ids(chunks: Sequence[Sequence[Entry]]) -> list[list[Entry]]:
    """The chunks with call ids that are unique in the branch; results answer their chunk's calls in order."""
    numbers = iter(range(100_000))
    return [_with_call_ids(chunk, [f"c{next(numbers)}" for entry in chunk if isinstance(entry, ToolCall)]) for chunk in chunks]


def _with_call_ids(chunk: Sequence[Entry], ids: Sequence[str]) -> list[Entry]:
    for_calls, for_results = iter(ids), iter(ids)
    entries: list[Entry] = []
    for entry in chunk:
        match entry:
            case ToolCall():
                entries.append(ToolCall(next(for_calls), entry.name, entry.arguments))
            case ToolResult():
                entries.append(ToolResult(next(for_results), entry.name, entry.output, entry.is_error))
            case _:
                entries.append(entry)
    return entries


# What a run appends between two requests, chunk by chunk; it may begin with the assistant's greeting.
RUNS = st.lists(st.one_of(a_message(), a_step(), a_step(), a_reply()), max_size=30).map(with_call_ids)


class Replay:
    """A journal and its view, brought to fit before each request as the loop does it."""

    def __init__(self, policy: ContextPolicy, overhead: int = 0) -> None:
        self.view = ContextView(policy)
        self.entries: list[Entry] = []
        self._overhead = overhead

    def step(self, chunk: Sequence[Entry]) -> tuple[Entry, ...]:
        """Append `chunk` and what the view wants appended; return the latter. Raises ContextTooLong."""
        self.entries += chunk
        self.view.update(self.entries)
        changes = self.view.compaction_entries(self._overhead)
        self.entries += changes
        self.view.update(self.entries)
        return changes
