"""On the page of a link a formula stands as it was written: Markdown changes nothing in it."""

from __future__ import annotations

import pytest

from sharing.markdown import markdown_html


def block(source: str) -> str:
    return f'<pre tabindex="0"><code>{source}</code></pre>\n'


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (r"Is \(a_1 * b_1 < c_1\)?", "<p>Is <code>a_1 * b_1 &lt; c_1</code>?</p>\n"),
        (r"Is $x_1 \$ y_1$?", r"<p>Is <code>x_1 \$ y_1</code>?</p>" + "\n"),
        ("Is $$ x_1 $$ or $$y_1$$? $$ $$", "<p>Is <code>x_1</code> or <code>y_1</code>? $$ $$</p>\n"),
        ("$5 and $6, $ x $, \\(never closed", "<p>$5 and $6, $ x $, (never closed</p>\n"),
        ("`$a$` and \\$b$", "<p><code>$a$</code> and $b$</p>\n"),
        ("So\n$$\n\\frac{a}{b} \\\\\n- _c_\n$$\nholds.", "<p>So</p>\n" + block("\\frac{a}{b} \\\\\n- _c_") + "<p>holds.</p>\n"),
        (r"\[ y^2 \]", block("y^2")),
        ("> $$\n> z\n> $$", '<blockquote dir="auto">\n' + block("z") + "</blockquote>\n"),
        ("$$ x", "<p>$$ x</p>\n"),
        (r"\[ y \] is more.", "<p>[ y ] is more.</p>\n"),
        ("```\n$$\na\n$$\n```", block("$$\na\n$$\n")),
    ],
)
def test_a_formula_is_shown_as_it_was_written(text: str, expected: str) -> None:
    assert markdown_html(text) == expected
