"""The demo organization's assistants, with pictures that are drawn here (SPEC 4.14). The demo's scripted answers fit their starters."""

from __future__ import annotations

import io
from collections.abc import Callable
from dataclasses import dataclass

from PIL import Image, ImageDraw

from admin_config.defaults.platform import PROVIDER_TOOLS_AGENT, agent_key
from admin_config.models import AgentConfig, AppSettings, Assistant, ToolSource
from admin_config.services.agents.assistants import AssistantParts, assistant_save
from admin_config.services.configuration import release_publish
from admin_config.services.seeding import DEFAULT_TOOLS
from tenants.context import current_organization_id
from tenants.input.pictures import picture_read

SIDE = 1024  # pixels; the picture that is kept is smaller


@dataclass(frozen=True)
class DemoAssistant:
    """One assistant of the demo. `starters`: title and text."""

    title: str
    description: str
    prompt: str
    starters: tuple[tuple[str, str], ...]
    colors: tuple[str, str]  # ground, drawing
    draw: Callable[[ImageDraw.ImageDraw, str], None]
    searches: bool = False


def assistants_seed() -> None:
    """Give the current organization the demo's assistants and publish them. Raises ReleaseInvalid."""
    provider = AppSettings.objects.get().active_provider
    sources = list(ToolSource.objects.filter(kind__in=DEFAULT_TOOLS, is_enabled=True))
    search = AgentConfig.objects.filter(key=agent_key(PROVIDER_TOOLS_AGENT, provider))
    for position, demo in enumerate(DEMO_ASSISTANTS, start=1):
        assistant = Assistant(
            title=demo.title,
            description=demo.description,
            starters=[{"title": title, "text": text} for title, text in demo.starters],
            position=position,
        )
        parts = AssistantParts(
            prompt=demo.prompt,
            call_description="",
            model=None,
            sources=sources,
            sub_agents=list(search) if demo.searches else [],
            picture=picture_read(_picture(demo)),
            without_picture=False,
        )
        assistant_save(assistant, parts)
    release_publish(organization_id=current_organization_id(), note="The demo's assistants")


def _picture(demo: DemoAssistant) -> bytes:
    ground, color = demo.colors
    image = Image.new("RGB", (SIDE, SIDE), ground)
    demo.draw(ImageDraw.Draw(image), color)
    content = io.BytesIO()
    image.save(content, "PNG")
    return content.getvalue()


def _chart(draw: ImageDraw.ImageDraw, color: str) -> None:
    for left, top in ((280, 560), (450, 420), (620, 280)):
        draw.rounded_rectangle((left, top, left + 110, 740), radius=36, fill=color)


def _magnifier(draw: ImageDraw.ImageDraw, color: str) -> None:
    draw.ellipse((270, 270, 610, 610), outline=color, width=80)
    draw.line((580, 580, 740, 740), fill=color, width=92)
    for x, y in ((580, 580), (740, 740)):
        draw.ellipse((x - 46, y - 46, x + 46, y + 46), fill=color)


def _lines(draw: ImageDraw.ImageDraw, color: str) -> None:
    for top, right in ((290, 760), (430, 700), (570, 760), (710, 540)):
        draw.rounded_rectangle((264, top, right, top + 76), radius=38, fill=color)


DEMO_ASSISTANTS = (
    DemoAssistant(
        title="Analyst",
        description="Tables in, charts and Python out",
        prompt=(
            "You are a data analyst. You turn figures and files into tables, charts and small Python programs that run beside the chat.\n"
            "- Say first what the figures show, in one sentence. Then show the table or the plot.\n"
            "- Name the assumptions and what is missing. Never invent a figure: if one is needed, ask for it or mark it as an example."
        ),
        starters=(
            ("Plot our stock", "Write a Python program that plots our tea stock over twelve weeks."),
            ("Compare in a table", "Show me a table that compares the prices of our teas."),
            ("Explain a formula", "Show me the maths behind a reorder point."),
        ),
        colors=("#d8f1ef", "#0b6f6c"),
        draw=_chart,
    ),
    DemoAssistant(
        title="Researcher",
        description="Searches and cites its sources",
        prompt=(
            "You research questions. You search the web, read several sources, and answer with what they say and where they disagree.\n"
            "- Every claim that is not common knowledge has its source. Prefer primary and recent ones, and say how old they are.\n"
            "- Keep apart what is known, what is likely, and what nobody knows."
        ),
        starters=(
            ("Check a claim", "Search the web: is green tea really brewed cooler than black tea?"),
            ("Brief me", "Write a one-page market brief about green tea in Europe, with a table and a chart."),
        ),
        colors=("#f0e4fb", "#7a36b1"),
        draw=_magnifier,
        searches=True,
    ),
    DemoAssistant(
        title="Writer",
        description="Drafts in your house style",
        prompt=(
            "You write and edit texts for this organization: notices, letters, briefs and pages.\n"
            "- Plain words, short sentences, the reader's question first. No filler and no superlatives.\n"
            "- Put a text of more than a few paragraphs into a document, so that it can be edited, and say in one line what you decided."
        ),
        starters=(
            ("Write a market brief", "Write a one-page market brief about green tea in Europe, with a table and a chart."),
            ("Draw a process", "Draw a sequence diagram of how somebody signs in with a passkey."),
        ),
        colors=("#fbeccd", "#8a5200"),
        draw=_lines,
    ),
)
