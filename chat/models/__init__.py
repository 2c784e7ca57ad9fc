"""Database models of conversations, messages, parts and runs (ARCHITECTURE 5).

A conversation is a tree of messages. A part is one context entry of a message; parts are only added, never changed. A run is one
execution of the chat agent. All ids are random UUIDs, and every row belongs to an organization. Others import the models from here.
"""

from chat.models.conversations import (
    MAX_COMMENT_CHARS,
    MAX_INSTRUCTIONS_CHARS,
    MAX_TITLE_CHARS,
    NEVER,
    PART_POSITION,
    PROJECT_COLORS,
    Conversation,
    Message,
    MessageFeedback,
    Part,
    Project,
)
from chat.models.model_calls import HourFigures, ModelCall, PromptSnapshot
from chat.models.runs import WAITING_FOR, Approval, OpenText, Run, RunInput, RunTool, WaitReason
from chat.models.saved_views import MAX_VIEW_NAME_CHARS, RunView
from chat.models.search_index import SearchDocument, SearchText, SearchWord

__all__ = [
    "MAX_COMMENT_CHARS",
    "MAX_INSTRUCTIONS_CHARS",
    "MAX_TITLE_CHARS",
    "MAX_VIEW_NAME_CHARS",
    "NEVER",
    "PART_POSITION",
    "PROJECT_COLORS",
    "WAITING_FOR",
    "Approval",
    "Conversation",
    "HourFigures",
    "Message",
    "MessageFeedback",
    "ModelCall",
    "OpenText",
    "Part",
    "Project",
    "PromptSnapshot",
    "Run",
    "RunInput",
    "RunTool",
    "RunView",
    "SearchDocument",
    "SearchText",
    "SearchWord",
    "WaitReason",
]
