"""Whether what a run wrote beside the chat parses: the last version of each artifact, in the languages that Python can parse."""

from __future__ import annotations

from uuid import uuid4

import pytest

from artifacts.models import Artifact, Version
from evaluations.graders.answer import Answer, ExpectedResult
from evaluations.graders.kinds import KINDS, expected_problem
from evaluations.services.written_artifacts import written_artifacts
from tenants.context import tenant_tx
from tenants.models import Membership
from tests.support.accounts.cast import Cast
from tests.support.chat.branch_rows import BranchRows

pytestmark = pytest.mark.django_db

ARTIFACTS = (
    ("python", "Primes", ("for x in", "for x in y:\n    pass\n"), ""),
    ("python", "Broken", ("x = (1,",), "Line 1: '(' was never closed."),
    ("mermaid", "Login", ("sequenceDiagram\n  A->>B: Hi\n",), ""),
    ("mermaid", "Bad login", ("sequenceDiagram\n  loop always\n  A->>B: Hi\n",), "Line 2: "),
    ("code", "data.json", ('{"a": [1,}',), "Line 1: "),
    ("code", "notes.sql", ("select (",), None),
    ("sheet", "Costs", ("a,b\n1,2\n\n3,4\n",), ""),
    ("sheet", "Uneven", ("a,b\n1,2,3\n",), "Line 2: 3 cells in place of 2."),
    ("text", "Report", ("# Tea",), None),
)


def test_the_last_version_of_each_artifact_is_parsed(cast: Cast) -> None:
    run_id, conversation_id = uuid4(), BranchRows(cast).conversation_id
    with tenant_tx(cast.acme.id):
        owner = Membership.objects.get(user=cast.alice)
        for kind, title, contents, _ in ARTIFACTS:
            artifact = Artifact.objects.create(conversation_id=conversation_id, owner=owner, title=title, kind=kind)
            for number, content in enumerate(contents, 1):
                Version.objects.create(
                    artifact=artifact, number=number, content=content, operation="create", author_kind="agent", run_id=run_id
                )
        problems = {artifact.title: artifact.problem for artifact in written_artifacts(run_id)}
        assert written_artifacts(uuid4()) == []
        answer = Answer(text="", artifacts=written_artifacts(run_id))
    with tenant_tx(cast.other.id):
        assert written_artifacts(run_id) == []
    assert set(problems) == {title for _, title, _, problem in ARTIFACTS if problem is not None}
    for _, title, _, problem in ARTIFACTS:
        if problem is not None:
            assert (problems[title] == problem) if not problem.endswith(" ") else problems[title].startswith(problem)

    judge = KINDS["artifact_parses"].judge
    assert judge(ExpectedResult("artifact_parses", "python"), answer).reason == "Broken does not parse. Line 1: '(' was never closed."
    assert judge(ExpectedResult("artifact_parses"), Answer(text="")).reason == "It wrote no artifact that can be parsed."
    assert judge(ExpectedResult("artifact_parses", "csv"), Answer(text="")).reason == "It wrote no csv."
    good = Answer(text="", artifacts=[one for one in answer.artifacts if not one.problem])
    assert judge(ExpectedResult("artifact_parses"), good).reason == "Parsed: Primes, Login, Costs."
    assert expected_problem(ExpectedResult("artifact_parses", "html")) == "Choose one of: python, mermaid, json, csv."
