"""Actions of the audit log: their categories, and the sentences in which people read them.

An action reads `<object>.<verb>`, such as "api_token.create". An unknown one gets a sentence made of its parts.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final, Protocol

CATEGORIES: Final[Mapping[str, str]] = {
    "sign_in": "Sign-in",
    "members": "Members and roles",
    "keys": "Keys, secrets and tokens",
    "agents": "Agents, tools and models",
    "releases": "Releases",
    "settings": "Settings and sign-on",
    "runs": "Runs and approvals",
    "data": "Sharing, exports, deletion",
    "limits": "Limits and refused requests",
    "operator": "Platform operator",
    "audit": "Audit log",
    "other": "Other",
}

# By the first part of an action.
_CATEGORY_OF: Final[Mapping[str, str]] = {
    **dict.fromkeys(("user", "session", "passkey", "factor", "password", "email"), "sign_in"),
    **dict.fromkeys(("membership", "member", "role", "invitation", "group", "service_account"), "members"),
    **dict.fromkeys(("secret", "registeredsecret", "member_key", "api_token", "key", "token"), "keys"),
    **dict.fromkeys(("agentconfig", "agent", "toolsource", "tool_source", "tool", "modelconfig", "model"), "agents"),
    **dict.fromkeys(("providerendpoint", "endpoint", "knowledgefile", "assistant", "plugin"), "agents"),
    **dict.fromkeys(("dataset", "case", "experiment", "replay", "requirement"), "agents"),
    **dict.fromkeys(("release", "draft"), "releases"),
    **dict.fromkeys(("appsettings", "organization", "sso", "domain", "policy", "embedsite", "retention"), "settings"),
    **dict.fromkeys(("run", "approval", "usage"), "runs"),
    **dict.fromkeys(("conversation", "message", "artifact", "file", "share", "export", "project", "memory", "data", "template"), "data"),
    **dict.fromkeys(("limit", "egress", "budget", "right"), "limits"),
    "operator": "operator",
    "audit": "audit",
    "audit_webhook": "audit",
}

# What stands after the actor's name. {object} is the object's name in the log.
_PHRASES: Final[Mapping[str, str]] = {
    "user.sign_in": "signed in",
    "user.sign_out": "signed out",
    "user.sign_in_failed": "failed to sign in",
    "user.factor_add": "added a second factor",
    "user.link_add": "connected an account at another provider",
    "user.link_remove": "disconnected an account at another provider",
    "user.factor_remove": "removed a second factor",
    "user.password_change": "changed the password",
    "user.address_change": "changed the e-mail address",
    "usage.export": "exported the organization's usage",
    "usage.reconcile": "compared usage with a provider's file",
    "organization.operator.suspend": "suspended the organization",
    "organization.operator.resume": "opened the organization to its members again",
    "organizationplan.operator.change": "gave the organization another plan",
    "usage.reprice": "calculated usage with new prices",
    "membership.deactivate": "deactivated {object}",
    "membership.activate": "activated {object} again",
    "membership.remove": "removed {object}",
    "membership.leave": "left the organization",
    "membership.hand_over": "handed over what {object} owned",
    "membership.archive": "archived what {object} owned",
    "membership.delete": "chose to delete what {object} owned",
    "membership.groups": "changed the groups of {object}",
    "organization.deletion_request": "asked for the organization to be deleted",
    "organization.deletion_cancel": "kept the organization from being deleted",
    "invitation.create": "invited somebody",
    "invitation.accept": "accepted an invitation",
    "user.sign_in_refused": "was refused at sign-in after too many attempts",
    "limit.hit": "hit a limit: {object}",
    "right.refuse": "tried what their role or token does not allow",
    "egress.refuse": "was kept from calling {object}",
    "key.use": "used the key for {object}",
    "run.own_key": "ran with an own key for {object}",
    "secret.rotate": "sealed {object} under a new key",
    "member_key.save": "saved an own key for {object}",
    "member_key.remove": "removed an own key for {object}",
    "member_key.check": "checked an own key for {object}",
    "sso.refuse": "was refused at single sign-on: {object}",
    "sso.link": "linked {object} to their identity at the sign-on",
    "sso.unlink": "forgot an identity at the sign-on",
    "sso.require": "made single sign-on required",
    "sso.way_in": "signed in directly although single sign-on is required",
    "sso.sign_out": "was signed out by the sign-on's provider",
    "domain.prove": "proved the domain {object}",
    "domain.lose": "lost the domain {object}, whose DNS record is gone",
    "release.publish": "published {object}",
    "release.override": "overrode {object}",
    "release.canary": "gave {object} to some members first",
    "release.schedule": "set a time for {object} to go live",
    "release.unschedule": "took back the time for {object} to go live",
    "release.canary_change": "changed who gets {object} first",
    "release.take_back": "took {object} back from the members who had it first",
    "draft.discard": "discarded the draft",
    "draft.load": "loaded {object} into the draft",
    "agent.try": "tried an agent",
    "experiment.start": "ran the data set {object}",
    "experiment.stop": "stopped a run of the data set {object}",
    "case.copy": "copied a conversation into the data set {object}",
    "dataset.import": "added cases from a file to the data set {object}",
    "membership.account_deleted": "lost {object}, whose account was deleted",
    "membership.clear": "deleted what {object} had left",
    "service_account.create": "made the service account {object}",
    "operator.look": "looked at {object} as platform operator",
    "run.read": "read the texts of {object}",
    "run.end": "ended {object} as platform operator",
    "run.search": "searched the texts of runs",
    "run.replay": "replayed runs ({object})",
    "run.replay_settle": "settled a call of a replay that was not recorded ({object})",
    "run.replay_stop": "stopped a replay of runs ({object})",
    "run.policy": "changed who may read members' chats",
    "conversation.share_with_admins": "let admins read {object} for seven days",
    "conversation.stop_sharing": "stopped letting admins read {object}",
    "approval.approved": "allowed {object}",
    "approval.denied": "denied {object}",
    "approval.expired": "let the question about {object} expire",
    "data.export": "had an export of their data made",
    "audit.export": "exported the audit log",
    "conversation.export": "exported the conversation {object}",
    "conversation.delete": "deleted the conversation {object}",
    "conversation.restore": "took back the deletion of the conversation {object}",
    "retention.change": "changed how long things are kept",
    "retention.apply": "deleted what was older than the organization keeps it",
    "conversation.delete_several": "deleted {object}",
    "conversation.restore_several": "took back the deletion of {object}",
    "share.create": "shared {object} by link",
    "share.extend": "gave the link to {object} a new end",
    "share.right": "changed what readers of the link to {object} may do",
    "share.readers": "changed whom the link to {object} is for",
    "share.comment": "commented on {object}",
    "share.comment_resolve": "resolved or reopened a comment on {object}",
    "share.comment_delete": "deleted a comment on {object}",
    "share.stop": "stopped the link to {object}",
    "template.submit": "submitted the template {object} for review",
    "template.take_back": "took the template {object} back from review",
    "template.publish": "published the template {object}",
    "template.send_back": "sent the template {object} back to its author",
    "template.withdraw": "withdrew the template {object} from the gallery",
    "share.policy": "changed who may open shared links",
    "share.stop_by_policy": "stopped links that the policy on sharing no longer allows",
    "embedsite.rotate": "made a new secret for the embedded chat {object}",
    "project.delete": "deleted the project {object}",
    "artifact.export": "exported {object}",
    "agentconfig.copy": "copied values of another provider to {object}",
    "providerendpoint.reset_breaker": "reset the pause of {object}",
}

_VERBS: Final[Mapping[str, str]] = {
    "accept": "accepted",
    "change": "changed",
    "create": "created",
    "delete": "deleted",
    "discard": "discarded",
    "export": "exported",
    "import": "imported",
    "look": "looked at",
    "read": "read",
    "remove": "removed",
    "restore": "restored",
    "revoke": "revoked",
    "disable": "switched off",
    "enable": "switched on",
    "try": "tried",
    "policy": "changed the policy of",
    "rotate": "rotated",
    "save": "saved",
    "update": "updated",
}
_KINDS: Final[Mapping[str, str]] = {
    "agentconfig": "agent",
    "api_token": "API token",
    "appsettings": "settings",
    "audit_webhook": "audit webhook",
    "case": "case",
    "dataset": "data set",
    "embedsite": "embedded chat",
    "knowledgefile": "knowledge file",
    "member_key": "own key",
    "membership": "member",
    "modelconfig": "model",
    "outgoingmail": "mail",
    "providerendpoint": "endpoint",
    "registeredsecret": "secret",
    "requirement": "required data set",
    "sso": "single sign-on",
    "tool_source": "tool",
    "toolsource": "tool",
}
_UNNAMED: Final = frozenset({"appsettings"})  # there is only one in an organization


class Event(Protocol):
    """What a sentence needs of an event."""

    action: str
    object_kind: str
    object_label: str
    after: Any


def category_of(action: str) -> str:
    """Return the category of an action, "other" when it is unknown."""
    if ".operator." in action:
        return "operator"
    return _CATEGORY_OF.get(action.partition(".")[0], "other")


def kind_label(kind: str) -> str:
    """Return what people call this kind of object, such as "API token"."""
    return _KINDS.get(kind, kind.replace("_", " "))


def phrase(event: Event, object_name: str = "") -> str:
    """Return what the actor did, such as "made Jonas an admin". `object_name`: the object's present name; else the one of that time."""
    name = event.object_label or object_name
    kind = kind_label(event.object_kind)
    role = event.after.get("role") if isinstance(event.after, dict) else None
    if role and event.object_kind == "membership" and event.action.rpartition(".")[2] in {"change", "role", "create"}:
        return f"made {name or 'a member'} {_with_article(str(role).lower())}"
    if known := _PHRASES.get(event.action):
        return known.format(object=name or f"a {kind}")
    subject, _, verb = event.action.rpartition(".")
    done = _VERBS.get(verb, verb.replace("_", " "))
    as_operator = " as platform operator" if subject.endswith(".operator") else ""
    if event.object_kind in _UNNAMED:
        return f"{done} the {kind}{as_operator}"
    return f"{done} {f'the {kind} {name}' if name else _with_article(kind)}{as_operator}"


def _with_article(noun: str) -> str:
    return f"{'an' if noun[:1].lower() in 'aeio' else 'a'} {noun}"
