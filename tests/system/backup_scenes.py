"""What the restore drill does in processes of its own, each with the environment of one installation: `seed DIR` and `restore DIR`."""

from __future__ import annotations

import json
import sys
from typing import Any

import django
from django.contrib.auth import get_user as user_of
from django.core.files.uploadedfile import SimpleUploadedFile
from django.core.management import call_command
from django.db import transaction
from django.test import Client

from accounts.sign_in.demo_logins import DEMO_LOGIN

NOTE, PAPER = b"Cups: two", "# A paper about tea\n"
STRANGER = "charlie@example.org"


def seed(directory: str) -> dict[str, Any]:
    """Make two organizations, one with a file, a document and a stored key, and back all of it up."""
    from security.secrets.services import secret_create
    from tenants.access import actor_for
    from tests.artifacts.support import make_artifact

    call_command("demo_seed", stdout=sys.stderr)
    stranger_make()
    client, user = signed_in(*DEMO_LOGIN[:2])
    actor = actor_for(user_id=user.pk, slug="demo")
    secret_create(
        organization_id=actor.organization_id, value="AIzaSy-0123456789", url="https://api.example", purpose="google", actor_user_id=user.pk
    )
    artifact_id = make_artifact(actor, PAPER).artifact_id
    response = client.post("/o/demo/api/files/", {"file": SimpleUploadedFile("cups.txt", NOTE)})
    assert response.status_code == 201, response.content
    call_command("backup", directory, stdout=sys.stderr)
    return {"file": response.json()["id"], "artifact": str(artifact_id)}


def stranger_make() -> None:
    """Make the owner of another organization."""
    from tenants.context import database_alias, identity_tx
    from tenants.models import Membership, Organization, User

    with database_alias("auth"), transaction.atomic(using="auth"):
        other = Organization.objects.create(name="Other Ltd", slug="other")
        user = User.objects.create_user(STRANGER, DEMO_LOGIN[1])
        with identity_tx(other.pk, acting_user_id=None):
            Membership.objects.create(organization=other, user=user, role="owner")


def restore(directory: str, ids_json: str) -> dict[str, Any]:
    """Restore the backup, sign in with the passwords of before, and read what was there."""
    from files.models import File
    from files.storage import content_read
    from tenants.access import actor_for
    from tenants.context import tenant_tx

    ids = json.loads(ids_json)
    call_command("restore", directory, stdout=sys.stderr)
    client, user = signed_in(*DEMO_LOGIN[:2])
    with tenant_tx(actor_for(user_id=user.pk, slug="demo").organization_id):
        stored_as = File.objects.get(pk=ids["file"]).stored_as
    version = f"api/artifacts/{ids['artifact']}/versions/1/"
    return {
        "file": content_read(stored_as).decode(),
        "artifact": client.get(f"/o/demo/{version}").json()["content"],
        "foreign": signed_in(STRANGER, DEMO_LOGIN[1])[0].get(f"/o/other/{version}").status_code,
    }


def signed_in(email: str, password: str) -> tuple[Client, Any]:
    """Sign in on the sign-in page."""
    client = Client(headers={"host": "127.0.0.1:8000"})
    answer = client.post("/login/", {"username": email, "password": password})
    assert answer.status_code == 302, answer.content
    return client, user_of(client)


if __name__ == "__main__":
    django.setup()
    scene, *arguments = sys.argv[1:]
    sys.stdout.write("\n" + json.dumps(seed(*arguments) if scene == "seed" else restore(*arguments)))
