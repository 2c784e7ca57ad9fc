"""A picture drawn anew from its pixels: what else was in the file (EXIF, text chunks, profiles, a second file behind it) is not copied."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from contextlib import suppress
from io import BytesIO
from typing import Any

from PIL import GifImagePlugin, Image, ImageCms, ImageOps, ImageSequence, JpegImagePlugin, MpoImagePlugin, PngImagePlugin, WebPImagePlugin

Image.MAX_IMAGE_PIXELS = None  # we have a limit of our own, which is an error and not a warning
PLUGINS = (GifImagePlugin, JpegImagePlugin, MpoImagePlugin, PngImagePlugin, WebPImagePlugin)  # loaded before files are closed to us

FORMATS: Mapping[str, str] = {"image/png": "PNG", "image/jpeg": "JPEG", "image/gif": "GIF", "image/webp": "WEBP"}
MODES: Mapping[str, frozenset[str]] = {  # which a format can hold; others become RGB or RGBA
    "PNG": frozenset({"1", "L", "LA", "I;16", "P", "RGB", "RGBA"}),
    "JPEG": frozenset({"L", "RGB"}),
    "GIF": frozenset({"1", "L", "P", "RGB", "RGBA"}),
    "WEBP": frozenset({"RGB", "RGBA"}),
}
MAX_ANIMATION_PIXELS = 20_000_000  # of all frames together; a longer animation becomes its first frame
QUALITY = 90  # of JPEG and WebP


class TooManyPixels(Exception):
    """The picture is larger than allowed; the message is its number of pixels."""


def redraw(content: bytes, media_type: str, *, max_pixels: int, max_side: int, max_bytes: int) -> bytes:
    """Return a picture of the same type with the same pixels, upright and in sRGB.

    It is made smaller when a side is longer than `max_side`, and until it fits `max_bytes`.

    Raises TooManyPixels, and whatever Pillow raises for broken content.
    """
    kind = FORMATS[media_type]
    with Image.open(BytesIO(content), formats=("JPEG", "MPO") if kind == "JPEG" else (kind,)) as image:
        _check_size(image, max_pixels)
        frames = _frames(image, kind)
        durations = [int(frame.info.get("duration") or 0) for frame in frames]
        options = _options(kind, content, image, durations)
        clean = [_clean(frame, kind) for frame in frames] if len(frames) > 1 else [_upright(frames[0], kind)]
    if (longest := max(clean[0].size)) > max_side:
        clean = [_scale(frame, max_side / longest) for frame in clean]
    picture = _encode(clean, kind, options)
    while len(picture) > max_bytes:
        factor = 0.9 * math.sqrt(max_bytes / len(picture))
        clean = [_scale(frame, factor) for frame in clean]
        picture = _encode(clean, kind, options)
    return picture


def _scale(frame: Image.Image, factor: float) -> Image.Image:
    """Return the frame with sides of `factor` times their length, in a mode whose pixels can be mixed."""
    mode = "RGBA" if frame.has_transparency_data or frame.mode == "P" else "L" if frame.mode == "1" else frame.mode
    size = (max(1, round(frame.width * factor)), max(1, round(frame.height * factor)))
    return frame.convert(mode).resize(size, Image.Resampling.LANCZOS)


def _check_size(image: Image.Image, max_pixels: int) -> None:
    if image.width * image.height > max_pixels:
        raise TooManyPixels(str(image.width * image.height))


def _frames(image: Image.Image, kind: str) -> list[Image.Image]:
    """Return the frames of an animation that is small enough, else the first one."""
    if kind in ("GIF", "WEBP") and getattr(image, "is_animated", False):
        frames = list(_small_frames(image))
        if frames:
            return frames
        image.seek(0)
    image.load()
    return [image]


def _small_frames(image: Image.Image) -> Iterator[Image.Image]:
    if image.width * image.height * int(getattr(image, "n_frames", 1)) > MAX_ANIMATION_PIXELS:
        return
    for frame in ImageSequence.Iterator(image):
        _check_size(frame, MAX_ANIMATION_PIXELS)  # a frame can enlarge the picture
        yield frame.convert("RGBA")


def _upright(image: Image.Image, kind: str) -> Image.Image:
    with suppress(Exception):  # broken EXIF data spoils no picture
        image = ImageOps.exif_transpose(image)
    return _clean(_in_srgb(image), kind)


def _in_srgb(image: Image.Image) -> Image.Image:
    """Return the picture in the colours that a viewer without its profile expects."""
    profile = image.info.get("icc_profile")
    if not profile or image.mode not in ("RGB", "RGBA", "CMYK"):
        return image
    try:
        target = "RGBA" if image.mode == "RGBA" else "RGB"
        source, srgb = ImageCms.ImageCmsProfile(BytesIO(profile)), ImageCms.createProfile("sRGB")
        return ImageCms.profileToProfile(image, source, srgb, outputMode=target) or image
    except (ImageCms.PyCMSError, OSError, ValueError, TypeError):  # a profile that is broken or of another kind
        return image


def _clean(image: Image.Image, kind: str) -> Image.Image:
    """Return a copy of the pixels alone: encoders write comments and profiles from `info`."""
    if image.mode not in MODES[kind]:
        has_alpha = image.has_transparency_data and kind != "JPEG"
        image = image.convert("RGBA" if has_alpha else "RGB")
    copy = image.copy()
    copy.info = {"transparency": image.info["transparency"]} if "transparency" in image.info else {}
    return copy


def _options(kind: str, content: bytes, image: Image.Image, durations: list[int]) -> dict[str, Any]:
    if kind == "JPEG":
        return {"quality": QUALITY}
    if kind == "PNG":
        return {}
    options: dict[str, Any] = {"lossless": True} if content[12:16] == b"VP8L" else {"quality": QUALITY} if kind == "WEBP" else {}
    if len(durations) > 1:
        options |= {"duration": durations, "disposal": 2} if kind == "GIF" else {"duration": durations}
        if "loop" in image.info:
            options["loop"] = image.info["loop"]
    return options


def _encode(frames: list[Image.Image], kind: str, options: dict[str, Any]) -> bytes:
    buffer = BytesIO()
    several: dict[str, Any] = {"save_all": True, "append_images": frames[1:]} if len(frames) > 1 else {}
    frames[0].save(buffer, kind, **options, **several)
    return buffer.getvalue()
