"""Actions of the audit log: their categories, and the sentences in which people read them.

An action reads `<object>.<verb>`, such as "api_token.create". An unknown one gets a sentence made of its parts.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, Final, Protocol

from django.utils.translation import get_language, gettext, gettext_noop as _

CATEGORIES: Final[Mapping[str, str]] = {
    "sign_in": _("Sign-in"),
    "members": _("Members and roles"),
    "keys": _("Keys, secrets and tokens"),
    "agents": _("Agents, tools and models"),
    "releases": _("Releases"),
    "settings": _("Settings and sign-on"),
    "runs": _("Runs and approvals"),
    "data": _("Sharing, exports, deletion"),
    "limits": _("Limits and refused requests"),
    "operator": _("Platform operator"),
    "audit": _("Audit log"),
    "other": _("Other"),
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
    "user.sign_in": _("signed in"),
    "user.sign_out": _("signed out"),
    "user.sign_in_failed": _("failed to sign in"),
    "user.factor_add": _("added a second factor"),
    "user.link_add": _("connected an account at another provider"),
    "user.link_remove": _("disconnected an account at another provider"),
    "user.factor_remove": _("removed a second factor"),
    "user.password_change": _("changed the password"),
    "user.address_change": _("changed the e-mail address"),
    "usage.export": _("exported the organization's usage"),
    "usage.operator.export": _("exported the table of organizations"),
    "usage.reconcile": _("compared usage with a provider's file"),
    "organization.operator.suspend": _("suspended the organization"),
    "organization.operator.resume": _("opened the organization to its members again"),
    "organization.operator.deletion_request": _("had the organization deleted after some days"),
    "organization.operator.deletion_cancel": _("kept the organization from its deletion"),
    "organizationplan.operator.change": _("gave the organization another plan"),
    "platformrelease.operator.publish": _("published platform defaults, release {object}"),
    "usage.reprice": _("calculated usage with new prices"),
    "membership.deactivate": _("deactivated {object}"),
    "membership.activate": _("activated {object} again"),
    "membership.remove": _("removed {object}"),
    "membership.leave": _("left the organization"),
    "membership.hand_over": _("handed over what {object} owned"),
    "membership.archive": _("archived what {object} owned"),
    "membership.delete": _("chose to delete what {object} owned"),
    "membership.groups": _("changed the groups of {object}"),
    "organization.deletion_request": _("asked for the organization to be deleted"),
    "organization.deletion_cancel": _("kept the organization from being deleted"),
    "invitation.create": _("invited somebody"),
    "invitation.accept": _("accepted an invitation"),
    "user.sign_in_refused": _("was refused at sign-in after too many attempts"),
    "limit.hit": _("hit a limit: {object}"),
    "budget.warn": _("told owners how much of a budget is spent: {object}"),
    "right.refuse": _("tried what their role or token does not allow"),
    "egress.refuse": _("was kept from calling {object}"),
    "key.use": _("used the key for {object}"),
    "run.own_key": _("ran with an own key for {object}"),
    "secret.rotate": _("sealed {object} under a new key"),
    "member_key.save": _("saved an own key for {object}"),
    "member_key.remove": _("removed an own key for {object}"),
    "member_key.check": _("checked an own key for {object}"),
    "sso.refuse": _("was refused at single sign-on: {object}"),
    "sso.link": _("linked {object} to their identity at the sign-on"),
    "sso.unlink": _("forgot an identity at the sign-on"),
    "sso.require": _("made single sign-on required"),
    "sso.way_in": _("signed in directly although single sign-on is required"),
    "sso.sign_out": _("was signed out by the sign-on's provider"),
    "domain.prove": _("proved the domain {object}"),
    "domain.lose": _("lost the domain {object}, whose DNS record is gone"),
    "release.publish": _("published {object}"),
    "release.override": _("overrode {object}"),
    "release.canary": _("gave {object} to some members first"),
    "release.schedule": _("set a time for {object} to go live"),
    "release.unschedule": _("took back the time for {object} to go live"),
    "release.canary_change": _("changed who gets {object} first"),
    "release.take_back": _("took {object} back from the members who had it first"),
    "draft.discard": _("discarded the draft"),
    "draft.load": _("loaded {object} into the draft"),
    "agent.try": _("tried an agent"),
    "experiment.start": _("ran the data set {object}"),
    "experiment.stop": _("stopped a run of the data set {object}"),
    "case.copy": _("copied a conversation into the data set {object}"),
    "dataset.import": _("added cases from a file to the data set {object}"),
    "membership.account_deleted": _("lost {object}, whose account was deleted"),
    "membership.clear": _("deleted what {object} had left"),
    "service_account.create": _("made the service account {object}"),
    "operator.look": _("looked at {object} as platform operator"),
    "run.read": _("read the texts of {object}"),
    "run.end": _("ended {object}"),
    "run.take_over": _("had another process take over {object}"),
    "run.search": _("searched the texts of runs"),
    "run.export": _("exported a list of runs"),
    "run.view_save": _("saved the view of runs {object}"),
    "run.view_change": _("changed the view of runs {object}"),
    "run.view_delete": _("deleted the view of runs {object}"),
    "run.replay": _("replayed runs ({object})"),
    "run.replay_settle": _("settled a call of a replay that was not recorded ({object})"),
    "run.replay_stop": _("stopped a replay of runs ({object})"),
    "run.policy": _("changed who may read members' chats"),
    "conversation.share_with_admins": _("let admins read {object} for seven days"),
    "conversation.stop_sharing": _("stopped letting admins read {object}"),
    "approval.approved": _("allowed {object}"),
    "approval.denied": _("denied {object}"),
    "approval.expired": _("let the question about {object} expire"),
    "data.export": _("had an export of their data made"),
    "organization.export": _("exported the organization's data"),
    "limit.count_member_anew": _("began to count anew what {object} uses"),
    "membership.export": _("exported what {object} has"),
    "audit.export": _("exported the audit log"),
    "conversation.export": _("exported the conversation {object}"),
    "conversation.delete": _("deleted the conversation {object}"),
    "conversation.restore": _("took back the deletion of the conversation {object}"),
    "retention.change": _("changed how long things are kept"),
    "retention.apply": _("deleted what was older than the organization keeps it"),
    "conversation.delete_several": _("deleted {object}"),
    "conversation.restore_several": _("took back the deletion of {object}"),
    "share.create": _("shared {object} by link"),
    "share.extend": _("gave the link to {object} a new end"),
    "share.right": _("changed what readers of the link to {object} may do"),
    "share.readers": _("changed whom the link to {object} is for"),
    "share.frame": _("changed which pages may show the link to {object}"),
    "share.comment": _("commented on {object}"),
    "share.comment_resolve": _("resolved or reopened a comment on {object}"),
    "share.comment_edit": _("edited a comment on {object}"),
    "share.comment_delete": _("deleted a comment on {object}"),
    "share.stop": _("stopped the link to {object}"),
    "template.submit": _("submitted the template {object} for review"),
    "template.take_back": _("took the template {object} back from review"),
    "template.publish": _("published the template {object}"),
    "template.send_back": _("sent the template {object} back to its author"),
    "template.withdraw": _("withdrew the template {object} from the gallery"),
    "share.policy": _("changed who may open shared links"),
    "share.stop_by_policy": _("stopped links that the policy on sharing no longer allows"),
    "embedsite.rotate": _("made a new secret for the embedded chat {object}"),
    "conversation.take_over": _("took over conversations from the embedded chat {object}"),
    "project.delete": _("deleted the project {object}"),
    "artifact.export": _("exported {object}"),
    "agentconfig.copy": _("copied values of another provider to {object}"),
    "tool_source.import": _("imported {object} from an OpenAPI document"),
    "providerendpoint.test": _("tested the connection of {object}"),
    "providerendpoint.reset_breaker": _("reset the pause of {object}"),
}

_VERBS: Final[Mapping[str, str]] = {
    "accept": _("accepted"),
    "change": _("changed"),
    "create": _("created"),
    "delete": _("deleted"),
    "discard": _("discarded"),
    "export": _("exported"),
    "import": _("imported"),
    "look": _("looked at"),
    "read": _("read"),
    "remove": _("removed"),
    "restore": _("restored"),
    "revoke": _("revoked"),
    "disable": _("switched off"),
    "enable": _("switched on"),
    "try": _("tried"),
    "policy": _("changed the policy of"),
    "rotate": _("rotated"),
    "save": _("saved"),
    "update": _("updated"),
}
_KINDS: Final[Mapping[str, str]] = {
    "agentconfig": _("agent"),
    "api_token": _("API token"),
    "appsettings": _("settings"),
    "audit_webhook": _("audit webhook"),
    "case": _("case"),
    "dataset": _("data set"),
    "embedsite": _("embedded chat"),
    "knowledgefile": _("knowledge file"),
    "member_key": _("own key"),
    "membership": _("member"),
    "modelconfig": _("model"),
    "outgoingmail": _("mail"),
    "platformdraft": _("platform defaults"),
    "platformrelease": _("platform release"),
    "providerendpoint": _("endpoint"),
    "registeredsecret": _("secret"),
    "requirement": _("required data set"),
    "sso": _("single sign-on"),
    "tool_source": _("tool"),
    "toolsource": _("tool"),
}
# Names that Parley gives to what has none. Whoever writes an event names them in English, whatever the language.
_OWN_LABELS: Final = frozenset({_("the list of members"), _("the list of users"), _("the mail box"), _("the checks before publishing")})
RELEASE: Final = re.compile(r"release (\d+)")
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
    return gettext(_KINDS[kind]) if kind in _KINDS else kind.replace("_", " ")


def phrase(event: Event, object_name: str = "") -> str:
    """Return what the actor did, such as "made Jonas an admin". `object_name`: the object's present name; else the one of that time."""
    name = _own_label(event.object_label) or object_name
    kind = kind_label(event.object_kind)
    role = event.after.get("role") if isinstance(event.after, dict) else None
    if role and event.object_kind == "membership" and event.action.rpartition(".")[2] in {"change", "role", "create"}:
        return gettext("made %(name)s %(role)s") % {"name": name or gettext("a member"), "role": _role(str(role))}
    if template := _PHRASES.get(event.action):
        return gettext(template).format(object=name or _with_article(kind))
    subject, _dot, verb = event.action.rpartition(".")
    is_operators = subject.endswith(".operator")
    if is_operators and (template := _PHRASES.get(f"{subject.removesuffix('.operator')}.{verb}")):
        return gettext("%(text)s as platform operator") % {"text": gettext(template).format(object=name or _with_article(kind))}
    words = gettext("%(done)s the %(kind)s %(name)s") if name else gettext("%(done)s %(a_kind)s")
    if event.object_kind in _UNNAMED:
        words = gettext("%(done)s the %(kind)s")
    done = gettext(_VERBS[verb]) if verb in _VERBS else verb.replace("_", " ")
    text = words % {"done": done, "kind": kind, "name": name, "a_kind": _with_article(kind)}
    return gettext("%(text)s as platform operator") % {"text": text} if is_operators else text


def _own_label(label: str) -> str:
    """Return an object's name of that time; one that Parley gave, which is stored in English, in the reader's language."""
    if number := RELEASE.fullmatch(label):
        return gettext("release %(number)s") % {"number": number[1]}
    return gettext(label) if label in _OWN_LABELS else label


def _role(role: str) -> str:
    word = role.capitalize()
    return gettext(word) if get_language() != "en" else _with_article(role.lower())


def _with_article(noun: str) -> str:
    """Return "an agent"; in other languages the noun alone, since its article depends on it."""
    return f"{'an' if noun[:1].lower() in 'aeio' else 'a'} {noun}" if get_language() == "en" else noun
