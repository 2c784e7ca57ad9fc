"""Theme of both admin sites: the product's accent, oklch(0.52 0.19 268), as the theme's colour scale."""

from __future__ import annotations

from django.conf import settings
from unfold.dataclasses import Favicon
from unfold.settings import CONFIG_DEFAULTS
from unfold.utils import convert_color

_ACCENT_HUE = 268
_ACCENT_STEPS = {  # weight: lightness, chroma
    "50": (0.975, 0.014),
    "100": (0.945, 0.03),
    "200": (0.895, 0.06),
    "300": (0.82, 0.105),
    "400": (0.72, 0.15),
    "500": (0.62, 0.18),
    "600": (0.52, 0.19),
    "700": (0.46, 0.175),
    "800": (0.4, 0.145),
    "900": (0.35, 0.115),
    "950": (0.26, 0.09),
}

ACCENT = {weight: f"oklch({light:.1%} {chroma} {_ACCENT_HUE})" for weight, (light, chroma) in _ACCENT_STEPS.items()}


def theme_colors() -> dict[str, dict[str, str]]:
    """Return the theme's CSS variables, `--color-<name>-<weight>`."""
    colors = {**CONFIG_DEFAULTS["COLORS"], "primary": ACCENT}
    return {name: {weight: convert_color(value) for weight, value in weights.items()} for name, weights in colors.items()}


# What several pages use. A style of one admin class alone is in the class's Media.
STYLESHEETS = (
    *("theme", "parts", "logs", "events", "log-settings", "forms", "form-rows"),
    *("runs", "run", "releases", "charts", "overview", "evaluations", "publish", "canary", "replay", "touch"),
)


def stylesheet_urls() -> list[str]:
    return [f"{settings.STATIC_URL}admin_config/{name}.css" for name in STYLESHEETS]


def favicons() -> list[Favicon]:
    return [Favicon(href=f"{settings.STATIC_URL}favicon.svg", rel="icon", type="image/svg+xml")]
