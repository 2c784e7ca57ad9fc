"""What an OpenAI-compatible endpoint can do, as typed options; their form fields are made from here (SPEC 2.1, 2.9)."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BaseModel, ConfigDict, Field

RESERVED = frozenset({"messages", "model", "stream", "stream_options", "tools", "tool_choice"})


def _free_fields(body: dict[str, Any]) -> dict[str, Any]:
    if taken := sorted(RESERVED & body.keys()):
        raise ValueError(f"Parley sets {', '.join(taken)} itself.")
    return body


class CompatibleOptions(BaseModel):
    """The defaults suit the common servers of open models."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    streams_usage: bool = Field(
        default=True, title="Counts tokens while streaming", description="Off: for servers that refuse stream_options."
    )
    output_limit_field: Literal["max_tokens", "max_completion_tokens"] = Field(
        default="max_tokens", title="Name of the output limit", description="OpenAI's reasoning models take only the second."
    )
    takes_effort: bool = Field(default=False, title="Takes reasoning_effort", description="Sent when the user switches thinking on.")
    takes_top_k: bool = Field(default=False, title="Takes top_k", description="Most servers of open models do; OpenAI does not.")
    reasoning_back: Literal["", "reasoning", "reasoning_content"] = Field(
        default="",
        title="Reasoning goes back as",
        description="Where the server wants a model's own reasoning in the next request; blank: nowhere.",
    )
    extra_body: Annotated[dict[str, Any], AfterValidator(_free_fields)] = Field(
        default_factory=dict,
        title="Further fields",
        description="A JSON object that goes with every request, such as a gateway's routing options.",
    )
