"""Formulas and diagrams cause no report of the content security policy, however broken they are.

The window of `visit` fails the test on any violation, in the page and in its frames.
"""

from __future__ import annotations

import pytest
from playwright.sync_api import expect

from doubles.script import Text
from tests.e2e.pages import Visit
from tests.e2e.scripted_provider import ScriptedProvider

FORMULAS = {
    "errors": [r"\frac{", r"\frac{1}{", r"\left( x", r"\nonsense{x}", r"x^^2", r"\begin{matrix} a & b", r"}", r"\text{\undefined}", "%"],
    "commands that load, link or style": [
        r"\href{https://evil.example/?q=1}{tea}",
        r"\href{javascript:alert(1)}{tea}",
        r"\url{https://evil.example}",
        r"\includegraphics[height=1em]{https://evil.example/a.png}",
        r"\htmlStyle{color: red; position: fixed}{x}",
        r"\htmlClass{menu}{x}",
        r"\htmlId{root}{x}",
        r"\htmlData{status=ready}{x}",
    ],
    "commands with styles of their own": [
        r"\boxed{x^2}",
        r"\fbox{x}",
        r"\colorbox{red}{x}",
        r"\fcolorbox{red}{blue}{x}",
        r"\color{green} x",
        r"\textcolor{#ff0000}{x}",
        r"\cancel{x} \bcancel{y} \xcancel{z} \sout{w}",
        r"\phase{-78^\circ} \angl{n}",
        r"\rule{1em}{2em} \raisebox{1em}{x} \hspace{2em} \kern1em",
        r"\overbrace{a+b}^{n} \underbrace{c}_m \xrightarrow[under]{over} \widehat{abc}",
        r"\begin{array}{|c|c|} \hline a & b \\ \hline c & d \end{array}",
        r"\begin{CD} A @>a>> B \\ @VbVV @AAcA \\ C @= D \end{CD}",
        r"\sqrt[3]{\frac{a}{b}} \sum_{i=1}^{n} \int_0^\infty \binom{n}{k} \smash{x} \vcenter{y} \mathchoice{a}{b}{c}{d}",
        r"\tag{1} x \qquad \not= \mathring{a} \underset{a}{b} \boldsymbol{v} \fcolorbox{#f00}{#0f0}{$x$} \Huge x \normalsize",
    ],
    "macros without an end": [r"\def\a{\a\a}\a", r"\newcommand{\b}{\b}\b", "x" * 3000, "{" * 500, r"\large" * 300],
}
DIAGRAMS = [
    "flowchart LR\n  A --> B\n  C --",
    'flowchart LR\n  A["<img src=https://evil.example/a.png onerror=alert(1)>"] --> B["<b style=color:red>x</b>"]',
    "flowchart LR\n  A-->B\n  style A fill:#f9f,stroke:#333\n  classDef x fill:url(https://evil.example/a.png)\n  class B x",
    'flowchart LR\n  A-->B\n  click A "https://evil.example" _blank\n  click B call alert()',
    '%%{init: {"theme": "base", "themeCSS": "* {background: url(https://evil.example/a.png)}", "securityLevel": "loose"}}%%\npie\n "a": 1',
    '---\nconfig:\n  theme: forest\n  htmlLabels: true\n---\nflowchart TD\n  A["$$x^2$$"] --> B["`**bold** [link](https://evil.example)`"]',
    "sequenceDiagram\n  Alice->>Bob: <script>alert(1)</script>\n  link Alice: Site @ https://evil.example",
    'classDiagram\n  class A {\n    +int x\n  }\n  link A "javascript:alert(1)"',
    "mindmap\n  root((tea))\n    ::icon(fa fa-book)\n    [<iframe src=https://evil.example>]",
    'flowchart LR\n  A["<<img src=x onerror=alert(1)>"] --> B["<article onclick=alert(1)>"] --> C["#lt;img src=x onerror=alert(1)#gt;"]',
    'sequenceDiagram\n  A->>B: &lt;img src=x onerror=alert(1)&gt;\n  links A: {"Site": "https://evil.example"}\n  Note over A: <h1 onclick=alert(1)>',
    "stateDiagram-v2\n  state x <<choice>>\n  a --> x\n  note right of a: <article onclick=alert(1)>",
    "nonsense\n  a b c",
]


@pytest.mark.parametrize("kind", FORMULAS)
def test_no_formula_causes_a_report(visit: Visit, model: ScriptedProvider, kind: str) -> None:
    text = "".join(f"Inline ${tex}$ and displayed:\n\n$$\n{tex}\n$$\n\n" for tex in FORMULAS[kind])
    model.answer_chat(Text(f"{text}\n\nThat is all: $x^2$."))
    chat = visit().open()
    chat.ask("Show me formulas.")
    expect(chat.answer.locator(".katex").last).to_be_visible()
    expect(chat.answer.locator("img, iframe, a[href*=evil], #root")).to_have_count(0)


def test_no_diagram_causes_a_report(visit: Visit, model: ScriptedProvider) -> None:
    model.answer_chat(Text("".join(f"```mermaid\n{code}\n```\n\n" for code in DIAGRAMS) + '```mermaid\npie\n  "Last": 1\n```\n'))
    chat = visit().open()
    chat.ask("Draw them.")
    pictures = chat.answer.get_by_role("group", name="Diagram").get_by_role("img")
    expect(pictures.last).to_be_visible()
    expect(chat.answer.get_by_text("Drawing")).to_have_count(0)
