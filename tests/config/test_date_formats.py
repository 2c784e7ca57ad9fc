"""How the admin and mails write dates and times, and that fields of forms take what they show."""

from __future__ import annotations

from datetime import UTC, date, datetime

import pytest
from django import forms
from django.utils import translation
from django.utils.formats import date_format
from unfold.widgets import UnfoldAdminDateWidget

AT = datetime(2026, 1, 2, 23, 5, tzinfo=UTC)


@pytest.mark.parametrize(
    ("language", "name", "expected"),
    [
        ("en", "DATETIME_FORMAT", "2 Jan 2026, 23:05"),
        ("en", "SHORT_DATETIME_FORMAT", "2 Jan 2026, 23:05"),
        ("en", "DATE_FORMAT", "2 Jan 2026"),
        ("en", "SHORT_DATE_FORMAT", "2 Jan 2026"),
        ("en", "TIME_FORMAT", "23:05"),
        ("en", "MONTH_DAY_FORMAT", "2 January"),
        ("de", "DATETIME_FORMAT", "2. Januar 2026 23:05"),  # as Django has it
        ("de", "SHORT_DATE_FORMAT", "02.01.2026"),
    ],
)
def test_english_writes_the_day_first_and_24_hours(language: str, name: str, expected: str) -> None:
    with translation.override(language):
        assert date_format(AT, name) == expected


@pytest.mark.parametrize("language", ["en", "de"])
def test_a_field_takes_the_date_that_it_shows_and_the_one_that_the_page_writes(language: str) -> None:
    class Limit(forms.Form):
        day = forms.DateField(widget=UnfoldAdminDateWidget)

    with translation.override(language):
        initial_text = Limit(initial={"day": AT.date()})["day"].subwidgets[0].data["value"]
        for day_text in (initial_text, "2026-01-02", date_format(AT, "SHORT_DATE_FORMAT")):
            form = Limit({"day": day_text})
            assert form.is_valid(), day_text
            assert form.cleaned_data["day"] == date(2026, 1, 2)
