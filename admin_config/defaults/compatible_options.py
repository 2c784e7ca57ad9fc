"""Options of OpenAI-compatible endpoints, as a typed model from which their form fields are made (SPEC 2.1, 2.9)."""

from __future__ import annotations

from typing import Any, Literal

from django.utils.translation import gettext_noop as _
from pydantic import BaseModel, ConfigDict, Field


class CompatibleOptions(BaseModel):
    """What the server supports. The defaults suit the common servers of open models."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    streams_usage: bool = Field(
        default=True, title=_("Counts tokens while streaming"), description=_("Off: for servers that refuse stream_options.")
    )
    output_limit_field: Literal["max_tokens", "max_completion_tokens"] = Field(
        default="max_tokens", title=_("Name of the output limit"), description=_("OpenAI's reasoning models take only the second.")
    )
    parallel_tools: bool | None = Field(
        default=None, title=_("Parallel tool calls"), description=_("What is said of them with every request that offers tools.")
    )
    takes_images: bool = Field(
        default=True, title=_("Takes images"), description=_("As data URLs, of models that read images. Off: for servers that refuse them.")
    )
    takes_pdf: bool = Field(
        default=False, title=_("Takes PDF files"), description=_("As content parts of type file. Off: the model reads their text.")
    )
    takes_effort: bool = Field(default=False, title=_("Takes reasoning_effort"), description=_("Sent when the user switches thinking on."))
    takes_top_k: bool = Field(default=False, title=_("Takes top_k"), description=_("Most servers of open models do; OpenAI does not."))
    reasoning_back: Literal["", "reasoning", "reasoning_content"] = Field(
        default="",
        title=_("Reasoning goes back as"),
        description=_("Where the server wants a model's own reasoning in the next request; blank: nowhere."),
    )
    think_tags: bool | None = Field(
        default=None,
        title=_("Reasoning in think tags"),
        description=_(
            "Text between think tags at the start of an answer is reasoning. Not set: yes at addresses of servers known to write them."
        ),
    )
    extra_body: dict[str, Any] = Field(
        default_factory=dict,
        title=_("Further fields"),
        description=_("A JSON object that goes with every request to this server. Empty: {}."),
    )
