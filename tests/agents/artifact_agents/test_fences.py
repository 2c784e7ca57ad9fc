from __future__ import annotations

import pytest

from agents.artifact_agents.authoring import without_fence


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("# Plain\n", "# Plain\n"),
        ("```markdown\n# Title\n```", "# Title\n"),
        ("\n```md\n# Title\n```\n\n", "# Title\n"),
        ("````markdown\n```py\nx\n```\n````", "```py\nx\n```\n"),
        ("```markdown\na\n```py\nx\n```\nb\n```", "a\n```py\nx\n```\nb\n"),
        ("```markdown\n```", ""),
        ("```python\nprint()\n```", "```python\nprint()\n```"),  # a document that is one program
        ("```md\na\n```\nbetween\n```md\nb\n```", "```md\na\n```\nbetween\n```md\nb\n```"),  # two blocks side by side
        ("```markdown\nnever closed", "```markdown\nnever closed"),
        ("Look:\n```markdown\n# T\n```", "Look:\n```markdown\n# T\n```"),
    ],
)
def test_only_a_fence_around_everything_is_taken_off(text: str, expected: str) -> None:
    assert without_fence(text, {"markdown", "md"}) == expected
