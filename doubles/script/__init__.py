"""The script of a double: what it answers and what it received. Used by tests, the demo and benchmarks.

    double.answer(Thought("Hm."), Text("Hello"), gate, Text(" world"))   # queued: used once, first matching answer first
    double.answer(Call("document_agent", {"operation": "create"}), when=lambda request: "poem" in request.user_text)
    double.answer(Fault.status(429, retry_after_s=2))
    double.default(Text("Hello"))                                        # for every request without a queued answer

Nothing here depends on a wire; each wire's package renders the items in its own format. Import from here.
"""

from __future__ import annotations

from doubles.script.answer_queue import Responder, Script
from doubles.script.answers import (
    FULL_SPEED,
    Answer,
    Call,
    CitedText,
    Fault,
    Finish,
    Item,
    Pacing,
    Pause,
    Picture,
    ProviderTool,
    Refusal,
    Text,
    Thought,
    Usage,
    split_tokens,
)
from doubles.script.received_request import ReceivedRequest, hash_key

__all__ = [
    "FULL_SPEED",
    "Answer",
    "Call",
    "CitedText",
    "Fault",
    "Finish",
    "Item",
    "Pacing",
    "Pause",
    "Picture",
    "ProviderTool",
    "ReceivedRequest",
    "Refusal",
    "Responder",
    "Script",
    "Text",
    "Thought",
    "Usage",
    "hash_key",
    "split_tokens",
]
