"""Every way in that changes something writes an audit event, or says here why not. A new one that is not listed fails.

`here`: this file makes the call and looks for the event. Other entries name the test that does.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from django.contrib.admin.options import ModelAdmin
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.urls import URLPattern, URLResolver, get_resolver

from admin_config.admin.sites import operator_site, organization_site
from chat.models import Message
from tenants.admin import AuditedAdmin
from tenants.context import tenant_tx
from tests.artifacts.support import make_artifact
from tests.rest.conftest import make_conversation
from tests.support.audit_log import events
from tests.support.cast import Cast

TESTS = Path(__file__).resolve().parents[1]
MOUNT = "o/<slug:slug>/"
UNSAFE = ("post", "put", "patch", "delete")

# What a member writes in their own chat is content. It is kept in the conversation itself, with its author and time.
CONTENT = "a member's own content, kept with author and time where it is written"
BY_SERVICE = "the service writes the event, whichever page calls it (accounts.members, accounts.organizations)"
OWN_READING = "marks the member's own reading"


@dataclass(frozen=True)
class Event:
    """`where`: "here", or the test that makes the call."""

    action: str
    where: str = "here"


REST: dict[str, Event | str] = {
    "DELETE api/files/<uuid:file_id>/": Event("file.delete"),
    "DELETE api/conversations/<str:key>/": Event("conversation.delete"),
    "POST api/conversations/<str:key>/restore/": Event("conversation.restore"),
    "POST api/conversation-batches/": Event("conversation.delete_several", "rest/test_filing.py"),
    "POST api/projects/": CONTENT,
    "PATCH api/projects/<uuid:project_id>/": CONTENT,
    "DELETE api/projects/<uuid:project_id>/": Event("project.delete", "rest/test_projects.py"),
    "POST api/projects/<uuid:project_id>/files/": CONTENT,
    "DELETE api/projects/<uuid:project_id>/files/<uuid:file_id>/": Event("file.delete", "rest/test_project_files.py"),
    "POST api/projects/<uuid:project_id>/files/<uuid:file_id>/readings/": CONTENT,
    "POST api/projects/<uuid:project_id>/files/<uuid:file_id>/attachments/": CONTENT,
    "DELETE api/conversations/<str:key>/messages/<uuid:message_id>/": Event("message.delete"),
    "DELETE api/conversations/<str:key>/messages/<uuid:message_id>/feedback/": CONTENT,
    "PUT api/conversations/<str:key>/messages/<uuid:message_id>/feedback/": CONTENT,
    "PUT api/conversations/<str:key>/readers/": Event("conversation.share_with_admins", "chat/test_run_explorer.py"),
    "DELETE api/conversations/<str:key>/readers/": Event("conversation.stop_sharing", "chat/test_run_explorer.py"),
    "POST api/conversations/<str:key>/branch/": CONTENT,
    "POST api/prompts/": CONTENT,
    "PUT api/prompts/<uuid:prompt_id>/": CONTENT,
    "DELETE api/prompts/<uuid:prompt_id>/": CONTENT,
    "POST api/templates/": CONTENT,
    "PUT api/templates/<uuid:template_id>/": CONTENT,
    "DELETE api/templates/<uuid:template_id>/": CONTENT,
    "POST api/templates/<uuid:template_id>/submit/": Event("template.submit", "gallery/test_reviews.py"),
    "POST api/templates/<uuid:template_id>/withdraw/": Event("template.withdraw", "gallery/test_reviews.py"),
    "POST api/templates/<uuid:template_id>/fill/": "gives a text, and counts a use without a name",
    "POST api/templates/<uuid:template_id>/use/": CONTENT,
    "POST api/shares/": Event("share.create", "sharing/test_shares.py"),
    "PATCH api/shares/<uuid:share_id>/": Event("share.extend", "sharing/test_shares.py"),
    "POST api/shares/<uuid:share_id>/comments/": Event("share.comment", "sharing/test_rights.py"),
    "PATCH api/shares/<uuid:share_id>/comments/<uuid:comment_id>/": Event("share.comment_resolve", "sharing/test_rights.py"),
    "DELETE api/shares/<uuid:share_id>/comments/<uuid:comment_id>/": Event("share.comment_delete", "sharing/test_rights.py"),
    "DELETE api/shares/<uuid:share_id>/": Event("share.stop", "sharing/test_shares.py"),
    "DELETE api/secrets/<uuid:secret_id>/": Event("secret.delete"),
    "POST api/secrets/": Event("secret.create"),
    "DELETE api/tokens/<uuid:token_id>/": Event("api_token.revoke"),
    "POST api/tokens/": Event("api_token.create"),
    "DELETE api/keys/<slug:provider>/": Event("member_key.remove", "agents/test_own_keys_api.py"),
    "PUT api/keys/": Event("member_key.save", "agents/test_own_keys_api.py"),
    "POST api/keys/<slug:provider>/check/": Event("member_key.check", "agents/test_own_keys_api.py"),
    "POST api/conversations/<str:key>/approvals/<uuid:approval_id>/": Event("approval.", "chat/test_approvals.py"),
    "POST api/tool-sources/<uuid:source_id>/try/": Event("tool_source.try", "agents/test_http_tools.py"),
    "POST api/agents/<uuid:agent_id>/prompt/": "composes a text that is shown, and stores nothing",
    "POST api/tokens/<uuid:token_id>/rotate/": Event("api_token.rotate"),
    "DELETE api/membership/": BY_SERVICE,
    "POST api/organizations/": BY_SERVICE,
    "PATCH api/profile/": CONTENT,
    "POST api/profile/picture/": CONTENT,
    "DELETE api/profile/picture/": CONTENT,
    "POST api/profile/deletion/": "a wish that can be taken back; the deletion itself is an event (security.deletion)",
    "POST api/profile/export/": Event("data.export", "accounts/test_data_export.py"),
    "POST api/proof/": "a password asked for again; wrong ones are failed sign-ins",
    "DELETE api/profile/deletion/": "takes the wish back",
    "DELETE api/sign-in/devices/": "ends sessions of one's own, as the page of devices does",
    "DELETE api/sign-in/devices/<str:device_id>/": "ends a session of one's own, as the page of devices does",
    "PATCH api/artifacts/<uuid:artifact_id>/": CONTENT,
    "PATCH api/conversations/<str:key>/": CONTENT,
    "PATCH api/me/": CONTENT,
    "POST api/artifacts/<uuid:artifact_id>/export/": Event("artifact.export", "rest/test_exports.py"),
    "POST api/conversations/<str:key>/export/": Event("conversation.export", "rest/test_exports.py"),
    "POST api/artifacts/<uuid:artifact_id>/patch/": CONTENT,
    "POST api/artifacts/<uuid:artifact_id>/revert/": CONTENT,
    "POST api/artifacts/<uuid:artifact_id>/suggestions/decide/": CONTENT,
    "POST api/artifacts/<uuid:artifact_id>/versions/": CONTENT,
    "POST api/conversations/": CONTENT,
    "POST api/conversations/<str:key>/artifacts/": CONTENT,
    "POST api/conversations/<str:key>/input/": CONTENT,
    "POST api/conversations/<str:key>/seen/": OWN_READING,
    "POST api/conversations/<str:key>/stop/": CONTENT,
    "POST api/conversations/<str:key>/tool-outputs/": CONTENT,
    "POST api/files/": CONTENT,
    "POST api/github/files/": CONTENT,
}
EXPORTS = {
    "artifact.export": "api/artifacts/{artifact}/export/?format=md",
    "conversation.export": "api/conversations/{conversation}/export/?format=json",
}

# Admin pages beside the usual ones of a list and its rows.
ADMIN_PAGES = {
    "usage_usagesum_export": Event("usage.export", "usage/test_pages.py"),
    "usage_usagesum_tools_export": Event("usage.export", "usage/test_tools.py"),
    "usage_usagesum_statement": Event("usage.export", "usage/test_pages.py"),
    "usage_usagesum_reconcile": Event("usage.reconcile", "usage/test_pages.py"),
    "usage_usagesum_reprice": Event("usage.reprice", "usage/test_pages.py"),
    "admin_config_toolsource_review": Event("tool_source.accept", "admin_config/test_tool_review.py"),
    "admin_config_toolsource_openapi": Event("tool_source.import", "admin_config/test_openapi.py"),
    "admin_config_providerendpoint_test": Event("providerendpoint.test", "admin_config/test_endpoint_connection.py"),
    "admin_config_providerendpoint_models": Event("modelconfig.create", "admin_config/test_endpoint_connection.py"),
    "admin_config_providerendpoint_reset_breaker": Event("providerendpoint.reset_breaker", "admin_config/test_breakers.py"),
    "admin_config_modelconfig_update": Event("model.update", "admin_config/test_catalogue.py"),
    "admin_config_release_discard": Event("draft.discard", "admin_config/test_discarding.py"),
    "admin_config_agentconfig_file": Event("agentconfig.import", "admin_config/test_agent_files.py"),
    "admin_config_agentconfig_copy": Event("agentconfig.copy", "admin_config/test_base_pages.py"),
    "admin_config_agentconfig_value": Event("agentconfig.change", "admin_config/test_values_in_place.py"),
    "admin_config_agentconfig_download": "what its admins see on the pages, without secrets",
    "admin_config_agentconfig_editors": "who has an agent's page open, kept in Redis for a minute",
    "admin_config_agentconfig_try": Event("agent.try", "chat/test_trials.py"),
    "evaluations_experiment_judgement": "an opinion on a model's judgement, which changes no setting",
    "admin_config_release_compare": "shows what differs, and changes nothing",
    "admin_config_release_load": Event("draft.load", "admin_config/test_release_history.py"),
    "admin_config_release_publish": Event("release.publish", "admin_config/test_publishing.py"),
    "admin_config_release_restore": Event("release.publish", "admin_config/test_publishing.py"),
    "admin_config_assistant_picture": "shows a picture, which an admin may change",
    "embed_embedsite_secret": Event("embedsite.rotate", "embed/test_embed_admin.py"),
    "embed_embedsite_keys": "asks an address for its public keys, and changes nothing",
    "embed_embedsite_preview": "shows the chat to an admin, as a visitor of their own",
    "chat_run_operations": "shows how things are going, and changes nothing",
    "chat_run_end": Event("run.end", "chat/test_operations.py"),
    "chat_run_take_over": Event("run.take_over", "chat/test_operations.py"),
    "chat_run_reset_breaker": Event("providerendpoint.operator.reset_breaker", "chat/test_operations.py"),
    "chat_run_counts": "counts runs, without words of their texts",
    "chat_run_rows": "shows rows of the list again, without texts",
    "chat_run_policy": Event("run.policy", "chat/test_run_explorer.py"),
    "chat_run_export": Event("run.export", "chat/test_run_exports.py"),
    "chat_run_view_save": Event("run.view_save", "chat/test_run_views.py"),
    "chat_run_view_change": Event("run.view_change", "chat/test_run_views.py"),
    "gallery_template_decide": Event("template.publish", "gallery/test_reviews.py"),
    "retention_retentionrule_rules": Event("retention.change", "chat/test_retention.py"),
    "sharing_share_policy": Event("share.policy", "sharing/test_share_admin.py"),
    "chat_messagefeedback_mark": "marks feedback as seen or assigns it: a to-do of admins, which changes nothing of a member",
    "security_auditevent_export": Event("audit.export", "admin_config/test_audit_pages.py"),
    "security_platformevent_export": Event("audit.export", "admin_config/test_audit_pages.py"),
    "security_auditevent_settings": Event("audit.policy", "security/test_audit_webhooks.py"),
    "security_auditevent_webhooks": Event("audit_webhook", "security/test_audit_webhooks.py"),
    "security_auditevent_webhook": Event("audit_webhook.disable", "security/test_audit_webhooks.py"),
    "tenants_membership_remove": BY_SERVICE,
    "tenants_membership_service": BY_SERVICE,
    "evaluations_replay_one": Event("run.replay", "evaluations/test_replays.py"),
    "evaluations_replay_many": Event("run.replay", "evaluations/test_replays.py"),
    "evaluations_replay_stop": Event("run.replay_stop", "evaluations/test_replays.py"),
    "evaluations_replay_settle": Event("run.replay_settle", "evaluations/test_replays.py"),
    "evaluations_replay_compare": Event("run.read", "evaluations/test_replays.py"),
    "evaluations_dataset_run": Event("experiment.start", "evaluations/test_work.py"),
    "evaluations_dataset_import": Event("dataset.import", "evaluations/test_pages.py"),
    "evaluations_dataset_export": Event("dataset.export", "evaluations/test_pages.py"),
    "evaluations_case_from_run": Event("case.copy", "evaluations/test_from_runs.py"),
    "admin_config_release_schedule_publish": Event("release.publish", "evaluations/test_schedules.py"),
    "admin_config_release_schedule_cancel": Event("release.unschedule", "evaluations/test_schedules.py"),
    "admin_config_canary_promote": Event("release.publish", "evaluations/test_canary.py"),
    "admin_config_canary_take_back": Event("release.take_back", "evaluations/test_canary.py"),
    "admin_config_canary_rules": Event("release.canary_change", "evaluations/test_canary.py"),
    "evaluations_requirement_check": Event("experiment.start", "evaluations/test_gate.py"),
    "evaluations_experiment_stop": Event("experiment.stop", "evaluations/test_pages.py"),
    "limits_ratelimit_count_anew": Event("ratelimit.count_anew", "limits/test_limits_page.py"),
    "usage_usagesum_tools": "shows sums of calls of tools, and changes nothing",
    "limits_ratelimit_applicable": "shows what applies to a member, and changes nothing",
    "limits_ratelimit_violations": "shows what was refused, and changes nothing",
    "tenants_organization_deletion": Event("organization.operator.deletion_request", "accounts/test_operator_deletion.py"),
    "tenants_organization_suspension": Event("organization.operator.suspend", "accounts/test_suspension.py"),
    "admin_config_platformdraft_publish": Event("platformrelease.operator.publish", "admin_config/test_platform_defaults.py"),
    "admin_config_platformrelease_restore": Event("platformrelease.operator.publish", "admin_config/test_platform_defaults.py"),
    "usage_modelsum_export": Event("usage.operator.export", "usage/test_organizations_table.py"),
    "limits_plan_assign": Event("organizationplan.operator.change", "limits/test_plans.py"),
    "accounts_mail_try": "sends a mail to the operator's own address",
    "accounts_mail_check": "connects to the mail server and changes nothing",
    "security_auditevent_download": "reads a file whose making is an event",
}


def rest_calls(patterns: list[URLPattern | URLResolver], prefix: str = "") -> Iterator[str]:
    for entry in patterns:
        path = prefix + str(entry.pattern)
        if isinstance(entry, URLResolver):
            yield from rest_calls(entry.url_patterns, path)
            continue
        view = getattr(entry.callback, "view_class", None) or getattr(entry.callback, "cls", None)
        if path.startswith(f"{MOUNT}api/") and view is not None:
            yield from (f"{method.upper()} {path.removeprefix(MOUNT)}" for method in UNSAFE if hasattr(view, method))


def test_every_rest_call_that_changes_something_is_listed() -> None:
    assert set(rest_calls(get_resolver().url_patterns)) == set(REST)


def admin_classes() -> list[ModelAdmin[Any]]:
    return [*organization_site._registry.values(), *operator_site._registry.values()]


def test_every_admin_class_writes_events() -> None:
    """But for pages whose services do, whichever page calls them."""
    for page in admin_classes():
        assert isinstance(page, AuditedAdmin), page
        writers = {getattr(type(page), log).__module__ for log in ("log_addition", "log_change", "log_deletions")}
        assert writers <= {"tenants.admin", "admin_config.admin.base"}, page
        for log in ("construct_change_message", "get_object"):
            assert getattr(type(page), log) is getattr(AuditedAdmin, log), (page, log)


def test_every_other_admin_page_is_listed() -> None:
    usual = ("changelist", "add", "history", "delete", "change")
    names = {
        str(url.name)
        for page in admin_classes()
        for url in page.get_urls()
        if getattr(url, "name", None) and not str(url.name).endswith(tuple(f"_{page.opts.model_name}_{kind}" for kind in usual))
    }
    assert names == set(ADMIN_PAGES)


@pytest.mark.parametrize("call", [*REST, *ADMIN_PAGES])
def test_an_event_of_another_test_is_asserted_there(call: str) -> None:
    event = (REST | ADMIN_PAGES)[call]
    if isinstance(event, Event) and event.where != "here":
        assert event.action in (TESTS / event.where).read_text()


@pytest.fixture
def bob(cast: Cast) -> Client:
    client = Client()
    client.force_login(cast.bob)
    return client


def delete_file(cast: Cast, bob: Client) -> None:
    response = bob.post("/o/acme/api/files/", {"file": SimpleUploadedFile("tea.txt", b"Tea is a drink.")})
    assert bob.delete(f"/o/acme/api/files/{response.json()['id']}/").status_code == 204


def delete_conversation(cast: Cast, bob: Client) -> None:
    assert bob.delete(f"/o/acme/api/conversations/{make_conversation(cast, cast.bob)}/").status_code == 204


def restore_conversation(cast: Cast, bob: Client) -> None:
    conversation_id = make_conversation(cast, cast.bob)
    assert bob.delete(f"/o/acme/api/conversations/{conversation_id}/").status_code == 204
    assert bob.post(f"/o/acme/api/conversations/{conversation_id}/restore/", content_type="application/json").status_code == 200


def delete_message(cast: Cast, bob: Client) -> None:
    conversation_id = make_conversation(cast, cast.bob)
    with tenant_tx(cast.acme.pk):
        message = Message.objects.create(conversation_id=conversation_id, role=Message.Role.USER)
    assert bob.delete(f"/o/acme/api/conversations/{conversation_id}/messages/{message.pk}/").status_code == 204


def make_secret(cast: Cast, bob: Client) -> Any:
    body = {"name": "api", "tool": "http", "url": "https://api.example", "value": "token-0123456789"}
    return bob.post("/o/acme/api/secrets/", body, content_type="application/json").json()["id"]


def delete_secret(cast: Cast, bob: Client) -> None:
    assert bob.delete(f"/o/acme/api/secrets/{make_secret(cast, bob)}/").status_code == 204


def make_token(cast: Cast, bob: Client) -> Any:
    return bob.post("/o/acme/api/tokens/", {"name": "laptop", "scopes": ["read"]}, content_type="application/json").json()["id"]


def revoke_token(cast: Cast, bob: Client) -> None:
    assert bob.delete(f"/o/acme/api/tokens/{make_token(cast, bob)}/").status_code == 204


def rotate_token(cast: Cast, bob: Client) -> None:
    response = bob.post(f"/o/acme/api/tokens/{make_token(cast, bob)}/rotate/", {}, content_type="application/json")
    assert response.status_code in {200, 201}, response.content


CALLED_HERE: dict[str, Callable[[Cast, Client], object]] = {
    "DELETE api/files/<uuid:file_id>/": delete_file,
    "DELETE api/conversations/<str:key>/": delete_conversation,
    "POST api/conversations/<str:key>/restore/": restore_conversation,
    "DELETE api/conversations/<str:key>/messages/<uuid:message_id>/": delete_message,
    "DELETE api/secrets/<uuid:secret_id>/": delete_secret,
    "POST api/secrets/": make_secret,
    "DELETE api/tokens/<uuid:token_id>/": revoke_token,
    "POST api/tokens/": make_token,
    "POST api/tokens/<uuid:token_id>/rotate/": rotate_token,
}


def test_every_call_of_this_file_is_made_here() -> None:
    assert {call for call, event in REST.items() if isinstance(event, Event) and event.where == "here"} == set(CALLED_HERE)


@pytest.mark.parametrize("call", CALLED_HERE)
def test_a_call_writes_its_event(call: str, cast: Cast, bob: Client) -> None:
    CALLED_HERE[call](cast, bob)
    expected = REST[call]
    assert isinstance(expected, Event)
    [event] = events(cast.acme, expected.action)
    assert (event.actor_user_id, event.outcome, event.address) == (cast.bob.pk, "done", "127.0.0.0/24")
    assert event.request_id
    assert event.session_hash
    assert events(cast.other) == []


@pytest.mark.parametrize("action", EXPORTS)
def test_an_export_writes_its_event(action: str, cast: Cast, bob: Client) -> None:
    ids = {"conversation": make_conversation(cast, cast.bob), "artifact": make_artifact(cast.actor(cast.bob)).artifact.pk}
    assert bob.get(f"/o/acme/{EXPORTS[action].format(**ids)}").status_code == 200
    [event] = events(cast.acme, action)
    assert event.actor_user_id == cast.bob.pk
