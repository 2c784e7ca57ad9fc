"""The picture that messengers show of a link: what it is called, and who shares it."""

from __future__ import annotations

import textwrap
from functools import cache
from io import BytesIO
from pathlib import Path
from typing import Final

from PIL import Image, ImageDraw, ImageFont

import artifacts.rendering

SIZE: Final = (1200, 630)  # what Open Graph readers ask for
MARGIN: Final = 90
TITLE_COLUMNS, TITLE_LINES = 26, 4
LINE_COLUMNS: Final = 56
_FONTS: Final = Path(artifacts.rendering.__file__).parent / "fonts"


def card_png(title: str, line: str) -> bytes:
    """Return a PNG with the title, cut to a few lines, and a line below it. Letters that the font lacks are boxes."""
    image = Image.new("RGB", SIZE, "#fdfdfc")
    draw = ImageDraw.Draw(image)
    draw.rectangle((0, 0, 18, SIZE[1]), fill="#3b5bdb")
    draw.text((MARGIN, 70), "Parley", font=_font("DejaVuSans-Bold.ttf", 34), fill="#3b5bdb")
    wrapped_title = "\n".join(textwrap.wrap(title, TITLE_COLUMNS, max_lines=TITLE_LINES, placeholder="…"))
    draw.multiline_text((MARGIN, 160), wrapped_title, font=_font("DejaVuSans-Bold.ttf", 58), fill="#1c1d22", spacing=16)
    draw.text((MARGIN, 540), textwrap.shorten(line, LINE_COLUMNS, placeholder="…"), font=_font("DejaVuSans.ttf", 30), fill="#55575f")
    target = BytesIO()
    image.save(target, "PNG", optimize=True)
    return target.getvalue()


@cache
def _font(name: str, size: int) -> ImageFont.FreeTypeFont:
    return ImageFont.truetype(str(_FONTS / name), size, layout_engine=ImageFont.Layout.BASIC)
