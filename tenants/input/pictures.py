"""Pictures that people upload: of themselves, of their organization, of an assistant. Read, cropped to a square and drawn again by us.

Only pixels are kept: no metadata, no second file in the same bytes, no format that a browser could take for something else.
"""

from __future__ import annotations

import hashlib
import io
from dataclasses import dataclass

from django.http import HttpResponse
from django.utils.translation import gettext, gettext_lazy
from PIL import Image, ImageOps

from tenants.errors import BadRequest

MAX_UPLOAD_BYTES = 2 * 1024 * 1024
MAX_PIXELS = 20_000_000
SIZE = 256
FORMATS = ("PNG", "JPEG", "WEBP", "GIF")
BAD_PICTURE = gettext_lazy("This is not a picture that can be used. Choose a PNG, JPEG, WebP or GIF file.")


@dataclass(frozen=True)
class Picture:
    """A PNG of SIZE x SIZE pixels."""

    content: bytes
    version: str  # changes with the content


def picture_read(content: bytes) -> Picture:
    """Return the picture's middle square, drawn again. Raises BadRequest."""
    if len(content) > MAX_UPLOAD_BYTES:
        raise BadRequest(
            gettext("The picture has more than %(max_upload_bytes)s MB.") % {"max_upload_bytes": MAX_UPLOAD_BYTES // 1024 // 1024}
        )
    try:
        with Image.open(io.BytesIO(content), formats=FORMATS) as image:
            if image.width * image.height > MAX_PIXELS:
                raise BadRequest(gettext("The picture has too many pixels."))
            upright = ImageOps.exif_transpose(image)
            square = ImageOps.fit(upright.convert("RGBA"), (SIZE, SIZE), Image.Resampling.LANCZOS)
    except BadRequest:
        raise
    except (OSError, ValueError, SyntaxError, Image.DecompressionBombError):  # what Pillow raises for broken files
        raise BadRequest(BAD_PICTURE) from None
    buffer = io.BytesIO()
    Image.frombytes("RGBA", square.size, square.tobytes()).save(buffer, "PNG", optimize=True)
    return Picture(buffer.getvalue(), hashlib.sha256(buffer.getvalue()).hexdigest()[:12])


def picture_response(content: bytes) -> HttpResponse:
    """Return a PNG of ours. Its address changes with it, so browsers may keep it."""
    headers = {"Cache-Control": "private, max-age=604800", "Content-Security-Policy": "default-src 'none'; sandbox"}
    return HttpResponse(content, content_type="image/png", headers=headers)
