"""Taint: what a run has read, and which outgoing calls therefore need the user's approval (SECURITY 27, docs/security.md).

Text that no person typed in this conversation may tell the model to send away what is not public. So once a run has read
both, the user first sees what would be sent. Taint is computed from the entries alone, so that every process decides
alike.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Sequence
from typing import Final

from agents.engine.ports import Grant, RunTaint, ToolTraits
from agents.engine.run_progress import unwrap_entry
from agents.messages import (
    ApprovalRequest,
    ApprovalResponse,
    ArtifactReference,
    AssistantText,
    BuiltinTool,
    ContextData,
    Entry,
    File,
    Notice,
    ProviderToolCall,
    SubAgentEntry,
    Taint,
    ToolCall,
    ToolResult,
    UserMessage,
)

TAINT_REASON: Final = "This chat contains files, web pages or answers of tools. Check what is sent before you allow it."

Reads = frozenset[Taint]
NOTHING: Final[Reads] = frozenset()
PRIVATE_AND_UNTRUSTED: Final[Reads] = frozenset({"private", "untrusted"})
PRIVATE: Final[Reads] = frozenset({"private"})
UNTRUSTED: Final[Reads] = frozenset({"untrusted"})
WEB_TOOLS = frozenset({BuiltinTool.WEB_SEARCH.value, BuiltinTool.URL_CONTEXT.value})
SENDING_TOOLS: Final = WEB_TOOLS | {BuiltinTool.CODE_EXECUTION.value}  # providers' own tools that may reach the internet

TOOLS_OFF: Final = "provider_tools_off"
_TOOL_WORDS: Final = {
    BuiltinTool.WEB_SEARCH.value: "web search",
    BuiltinTool.URL_CONTEXT.value: "opening web pages",
    BuiltinTool.CODE_EXECUTION.value: "running code",
}
_TOOLS_OFF_TEXT: Final = (
    "Off in this chat: {tools}. It contains files or outside pages, and the provider can't ask you before it sends something out. "
    "Start a new chat to use them."
)

# Origins that are no host
PUBLIC_WEB: Final = "web"
PAGE: Final = "page"
CALLER: Final = "caller"
OTHER_BRANCH: Final = "documents"

# The characters that an address keeps byte for byte on its way from the user's text to the request.
_ADDRESS: Final = re.compile(r"(?<![^\s(<\"'])https?://[!#-&(-;=?-\[\]-_a-z{-~]+")
_AFTER_ADDRESS: Final = ".,;:!?)]}"

Influence = tuple[Reads, str]  # what an entry brought in, and from where
_NO_INFLUENCE: Final[Influence] = (NOTHING, "")


class TaintRule:
    """The taint of one run. Each entry is looked at once, however often the rule is asked.

    `reads_of`: what the results of a tool contain, by tool name, for results that do not record it; None when the tool
    no longer exists. `parent`: the taint of the calling run, if there is one; only its user typed anything.
    """

    def __init__(self, reads_of: Callable[[str], Reads | None], parent: RunTaint | None = None) -> None:
        self._reads_of, self._parent = reads_of, parent
        self._length = 0  # number of entries looked at
        self._first_places: dict[Taint, int] = {}  # by kind of data: the place of the first entry that brought it in
        self._origins: dict[str, int] = {}  # by origin: the place of the first entry from there
        self._has_other_strangers = False  # whether anything untrusted came from elsewhere than the provider's own tools
        self._private_places: list[int] = []  # of entries that are private and that nobody typed
        self._versions: dict[str, int] = {}  # by artifact: its newest version that was written on this branch
        self._tools: dict[str, str] = {}  # by call id: the name of the tool
        self._requests: dict[str, ApprovalRequest] = {}
        self._grants: list[tuple[int, Grant]] = []
        self._newest_message: tuple[int, str] = (-1, "")  # place and sole address of the message that was asked about last

    def before(self, entries: Sequence[Entry], place: int) -> RunTaint:
        """Return what the run has read, and what its user allowed, in the first `place` entries of its growing branch."""
        self._look_at(entries)
        parent = self._parent or RunTaint()
        reads = frozenset(kind for kind, first in self._first_places.items() if first < place) | parent.reads
        return RunTaint(
            reads=reads,
            origins=self._origins_before(place),
            grants=(*parent.grants, *(grant for grant_place, grant in self._grants if grant_place < place)),
            typed_address=self._typed_address(entries, place) if len(reads) > 1 else "",
        )

    def before_call(self, entries: Sequence[Entry], call: ToolCall) -> RunTaint:
        """Return what the model had read when it made the call. Does not change when the call has run."""
        places = (place for place in reversed(range(len(entries))) if isinstance(entry := entries[place], ToolCall) and entry.id == call.id)
        return self.before(entries, next(places, len(entries)))

    def offered_provider_tools(self, tools: tuple[BuiltinTool, ...], entries: Sequence[Entry]) -> tuple[BuiltinTool, ...]:
        """Return those of the provider's own tools that can't send out what the user has not seen: nobody is asked before they run.

        What the provider's own search found may go back to its search and its programs, which have no network: all of
        it stays with the provider, who has the conversation anyway. Only opening a page would tell a stranger. In a
        nested run the user has seen the task, if it had to be asked about. So only what that run has read itself counts.
        """
        if SENDING_TOOLS.isdisjoint(tools):
            return tools
        self._look_at(entries)
        has_private = "private" in self._first_places if self._parent is None else bool(self._private_places)
        if not has_private or "untrusted" not in self._first_places:
            return tools
        off = SENDING_TOOLS if self._has_other_strangers else frozenset({BuiltinTool.URL_CONTEXT.value})
        return tuple(tool for tool in tools if tool not in off)

    def _origins_before(self, place: int) -> frozenset[str]:
        own = frozenset(origin for origin, first in self._origins.items() if first < place)
        return own | self._parent.origins if self._parent else own

    def _look_at(self, entries: Sequence[Entry]) -> None:
        for place in range(self._length, len(entries)):
            entry = entries[place]
            inner = unwrap_entry(entry) if isinstance(entry, SubAgentEntry) else entry
            self._note_permission(inner, place)
            kinds, origin = self._influence(inner)
            if origin:
                self._origins.setdefault(origin, place)
            if inner is not entry:  # the run reads the sub-agent's result, and not what the sub-agent has read
                continue
            for kind in kinds:
                self._first_places.setdefault(kind, place)
            self._has_other_strangers |= "untrusted" in kinds and not isinstance(entry, ProviderToolCall)
            if "private" in kinds and not isinstance(entry, UserMessage):
                self._private_places.append(place)
        self._length = len(entries)

    def _note_permission(self, entry: Entry, place: int) -> None:
        match entry:
            case ToolCall():
                self._tools[entry.id] = entry.name
            case ApprovalRequest(may_last=True):
                self._requests[entry.approval_id] = entry
            case ApprovalResponse(approved=True, lasts=True):
                request = self._requests.get(entry.approval_id)
                tool = self._tools.get(entry.call_id)
                if request is not None and tool is not None:
                    self._grants.append((place, Grant(tool, request.host, self._origins_before(place))))

    def _influence(self, entry: Entry) -> Influence:
        match entry:
            case UserMessage():
                return PRIVATE, ""
            case AssistantText(from_caller=True):
                return PRIVATE_AND_UNTRUSTED, CALLER
            case ContextData(name="page_state"):  # the user's own page, which may show text of others
                return PRIVATE_AND_UNTRUSTED, PAGE
            case ContextData(name="artifacts"):
                return self._artifacts_influence(entry)
            case ArtifactReference(version=int(version)):
                self._versions[entry.artifact_id] = max(version, self._versions.get(entry.artifact_id, 0))
                return _NO_INFLUENCE
            case File(from_tool=True):  # its result says what it brought in
                return _NO_INFLUENCE
            case File():
                return PRIVATE_AND_UNTRUSTED, f"file {entry.id}"
            case ProviderToolCall(name=name) if name in WEB_TOOLS:
                return UNTRUSTED, PUBLIC_WEB
            case ToolResult(denied=False):
                return self._result_influence(entry)
            case _:
                return _NO_INFLUENCE

    def _result_influence(self, result: ToolResult) -> Influence:
        if result.reads is not None:
            kinds = frozenset(result.reads)
        else:
            tool_reads = self._reads_of(result.name)
            kinds = (NOTHING if result.is_error else PRIVATE_AND_UNTRUSTED) if tool_reads is None else tool_reads
        if "untrusted" not in kinds:
            return kinds, ""
        return kinds, (result.origin or result.name) if "private" in kinds else PUBLIC_WEB

    def _artifacts_influence(self, artifacts: ContextData) -> Influence:
        """Return what the list of artifacts brought in: nothing new, unless a version was not written on this branch."""
        for line in artifacts.text.splitlines():
            try:
                artifact = json.loads(line)
            except ValueError:
                return PRIVATE_AND_UNTRUSTED, OTHER_BRANCH
            if artifact.get("version", 0) > self._versions.get(artifact.get("id", ""), 0):
                return PRIVATE_AND_UNTRUSTED, OTHER_BRANCH
        return _NO_INFLUENCE

    def _typed_address(self, entries: Sequence[Entry], place: int) -> str:
        """Return the sole address in the user's newest message, if no call has named it and nobody else had named it before.

        Only the first call of a step gets it: order, choice and number of calls would spell anything.
        """
        start, address = 0, ""
        if self._parent is not None:
            address = self._parent.typed_address
        else:
            start = next((number for number in reversed(range(place)) if isinstance(entries[number], UserMessage)), -1)
            address = self._sole_address(entries, start)
        if not address or _follows_open_call(entries, place):
            return ""
        calls = (call for entry in entries[start:place] if isinstance(call := unwrap_entry(entry), ToolCall))
        return "" if any(address in call.arguments.values() for call in calls) else address

    def _sole_address(self, entries: Sequence[Entry], place: int) -> str:
        if place >= 0 and self._newest_message[0] != place:
            message = entries[place]
            address = sole_address(message.text) if isinstance(message, UserMessage) else ""
            if address and any(address in repr(entry) for entry in entries[:place] if not isinstance(entry, UserMessage)):
                address = ""  # a model or a stranger had it first: a suggestion, a link, a file
            self._newest_message = (place, address)
        return self._newest_message[1] if place >= 0 else ""


def must_ask(call: ToolCall, traits: ToolTraits, taint: RunTaint) -> bool:
    """Return whether the user must see an outgoing call before it runs, because of what the run has read."""
    if not traits.sends or not taint.is_mixed:
        return False
    if traits.by_client:
        return bool(taint.origins - {PAGE})  # what the page said may go back to it
    host = traits.host_of(call.arguments)
    if host and (host_matches(host, traits.open_hosts) or _is_granted(call.name, host, taint)):
        return False
    return not (taint.typed_address and dict(call.arguments) == {traits.address_argument: taint.typed_address})


def _is_granted(tool: str, host: str, taint: RunTaint) -> bool:
    """Return whether the user allowed this tool and host, and nothing private came in from elsewhere since then."""
    private = taint.origins - {PUBLIC_WEB, host}
    return any(grant.tool == tool and grant.host == host and private <= grant.origins for grant in taint.grants)


def sole_address(text: str) -> str:
    """Return the one address in the text, as it was typed; "" when there are several, or none that is plain ASCII."""
    if text.count("://") != 1 or (match := _ADDRESS.search(text)) is None:
        return ""
    if match.end() < len(text) and not text[match.end()].isspace() and text[match.end()] not in "<>\"'":
        return ""
    return match[0].rstrip(_AFTER_ADDRESS)


def _follows_open_call(entries: Sequence[Entry], place: int) -> bool:
    """Return whether the call at `place` is not the first of its step."""
    for number in reversed(range(place)):
        match entries[number]:
            case ToolCall():
                return True
            case ToolResult() | UserMessage():
                return False
    return False


def tools_off_notices(agent_tools: Sequence[str], request_tools: Sequence[str], entries: Sequence[Entry]) -> list[Notice]:
    """Return the notice that the provider's own tools which an agent has are off. Once for the same tools: what a chat has read stays in it.

    Pages alone are off after each search, and are no news: a search goes on, and our own tool asks before it opens one.
    """
    off = [_TOOL_WORDS[tool] for tool in agent_tools if tool in _TOOL_WORDS and tool not in request_tools]
    notice = Notice(TOOLS_OFF, _TOOLS_OFF_TEXT.format(tools=", ".join(off)))
    return [notice] if off not in ([], [_TOOL_WORDS[BuiltinTool.URL_CONTEXT.value]]) and notice not in entries else []


def host_matches(host: str, patterns: Iterable[str], *, any_port: bool = False) -> bool:
    """Return whether a pattern with which an organization lists hosts names `host`, which has a port if it is not the usual one.

    `*.example.com` names all hosts below example.com, and not example.com itself. `any_port`: a pattern without a port
    names the host with every port.
    """
    names = {host, _without_port(host)} if any_port else {host}
    return any(_matches(name, pattern) for name in names for pattern in patterns)


def _matches(host: str, pattern: str) -> bool:
    return host.endswith(pattern[1:]) if pattern.startswith("*.") else host == pattern


def _without_port(host: str) -> str:
    return re.sub(r":\d+\Z", "", host) if host.count(":") == 1 or host.startswith("[") else host
