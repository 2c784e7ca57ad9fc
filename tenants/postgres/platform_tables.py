"""What each database role may do with the tables that belong to no organization, and with memberships.

This is the whole list: a table that is not in it is closed to all working roles. `tenants.postgres.table_rights` grants it after each
migrate, and `tenants.postgres.platform_checks` compares the database with it at each start. Imports nothing from Django's models.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

ALL_COLUMNS = ("*",)
NO_COLUMNS: tuple[str, ...] = ()


@dataclass(frozen=True)
class Rights:
    """The columns that a role may select, insert and update, and whether it may delete rows."""

    select: tuple[str, ...] = NO_COLUMNS
    insert: tuple[str, ...] = NO_COLUMNS
    update: tuple[str, ...] = NO_COLUMNS
    delete: bool = False


READ = Rights(select=ALL_COLUMNS)
WRITE = Rights(select=ALL_COLUMNS, insert=ALL_COLUMNS, update=ALL_COLUMNS, delete=True)
APPEND = Rights(select=ALL_COLUMNS, insert=ALL_COLUMNS)
ADD_AND_DELETE = Rights(select=ALL_COLUMNS, insert=ALL_COLUMNS, delete=True)
READ_AND_DELETE = Rights(select=ALL_COLUMNS, delete=True)
CHANGE_AND_DELETE = Rights(select=ALL_COLUMNS, update=ALL_COLUMNS, delete=True)
NONE = Rights()


@dataclass(frozen=True)
class RoleRights:
    """The rights of each working role on one table. The owner has all."""

    app: Rights = NONE
    auth: Rights = NONE
    system: Rights = NONE


# Of a person, what colleagues are shown and what ends an access; never the password, and nothing that tells who is an operator.
PERSON = ("id", "email", "name", "is_active", "is_service_account", "picture_version", "created_at")

PLATFORM_TABLES: Mapping[str, RoleRights] = {
    # Row security: the app role sees its organization, the people in it and their memberships.
    "tenants_organization": RoleRights(app=READ, auth=WRITE, system=READ),
    "tenants_user": RoleRights(app=Rights(select=PERSON), auth=WRITE, system=Rights(select=PERSON)),
    "tenants_membership": RoleRights(
        # An update of one column is also what locking a row needs.
        app=Rights(
            select=ALL_COLUMNS,
            update=("preferences", "default_assistant", "comment_mails", "shows_cost", "code_ligatures", "last_used_at"),
        ),
        auth=WRITE,  # of an organization's rows in its context, and only as the trigger allows (membership_guard)
        system=READ_AND_DELETE,
    ),
    "tenants_formerslug": RoleRights(auth=WRITE),
    "accounts_provendomain": RoleRights(auth=ADD_AND_DELETE),
    # Hashed keys and their end, by which jobs find what was entered for sessions that are over.
    "tenants_session": RoleRights(auth=WRITE, system=Rights(select=("session_key", "expire_date"))),
    # Django's permissions decide nothing here, but its sign-in asks for them, and deleting a user deletes them.
    "auth_group": RoleRights(auth=READ),
    "auth_group_permissions": RoleRights(auth=READ),
    "auth_permission": RoleRights(auth=READ),
    "tenants_user_groups": RoleRights(auth=READ_AND_DELETE),
    "tenants_user_user_permissions": RoleRights(auth=READ_AND_DELETE),
    "django_admin_log": RoleRights(auth=READ_AND_DELETE),  # nothing writes it: changes are in our audit log
    "django_content_type": RoleRights(auth=READ),  # asked for by each form of both admin sites
    "django_migrations": RoleRights(app=READ, auth=READ, system=READ),  # a process does not start on tables of another version
    # Mails carry codes, which open accounts: whatever tells somebody something adds one, and only the outbox reads them.
    "accounts_outgoingmail": RoleRights(app=Rights(insert=ALL_COLUMNS), auth=WRITE),
    "accounts_userpicture": RoleRights(auth=WRITE),
    # The operator's log. Old rows are deleted by a function of the owner (security.audit_sql).
    "security_platformevent": RoleRights(app=Rights(insert=ALL_COLUMNS), auth=APPEND, system=APPEND),
    # What organizations get by their plan is in rows of their own, which the operator's site writes in their context.
    "files_knownstore": RoleRights(system=APPEND),  # which store has the files; each start asks
    "limits_plan": RoleRights(auth=WRITE),
    "limits_planlimit": RoleRights(auth=WRITE),
    "limits_planbudget": RoleRights(auth=WRITE),
    # The operator's defaults for agents: read wherever a draft is made, and by forms; a release is never changed. Who published it, and
    # why, is the operators' own.
    "admin_config_platformdraft": RoleRights(auth=WRITE),
    "admin_config_platformrelease": RoleRights(app=Rights(select=("number", "content")), auth=APPEND, system=Rights(select=("number",))),
    # django-allauth: addresses, second factors, and sign-in with other providers.
    "account_emailaddress": RoleRights(auth=WRITE),
    "account_emailconfirmation": RoleRights(auth=WRITE),
    "mfa_authenticator": RoleRights(auth=WRITE),
    "socialaccount_socialaccount": RoleRights(auth=WRITE),
    "socialaccount_socialapp": RoleRights(),  # apps are settings
    "socialaccount_socialtoken": RoleRights(auth=READ_AND_DELETE),  # none are kept, but deleting an account asks for them
}

# Tables of organizations have row security, and both app and system may write them. These are the exceptions: what is only added, and
# what is written together with memberships.
TENANT_TABLE = RoleRights(app=WRITE, system=WRITE)
TENANT_TABLES: Mapping[str, RoleRights] = {
    "security_auditevent": RoleRights(app=APPEND, auth=APPEND, system=APPEND),
    "admin_config_release": RoleRights(app=APPEND, system=WRITE),
    "artifacts_version": RoleRights(app=APPEND, system=WRITE),
    "gallery_templateversion": RoleRights(app=ADD_AND_DELETE, system=WRITE),
    "security_auditdelivery": RoleRights(app=CHANGE_AND_DELETE, system=CHANGE_AND_DELETE),  # a trigger of the owner adds them
    # Whoever writes one of these decides who may do what.
    "accounts_invitation": RoleRights(app=READ, auth=WRITE, system=WRITE),
    "tenants_apitoken": RoleRights(app=Rights(select=ALL_COLUMNS, update=("last_used_at",)), auth=WRITE, system=WRITE),
    "tenants_membergroup": RoleRights(app=READ, auth=WRITE, system=WRITE),
    "tenants_groupmember": RoleRights(app=READ, auth=WRITE, system=WRITE),
    "accounts_signon": RoleRights(app=READ, auth=WRITE, system=CHANGE_AND_DELETE),
    "accounts_signondomain": RoleRights(app=READ, auth=WRITE, system=READ_AND_DELETE),
    "accounts_signonidentity": RoleRights(app=READ, auth=WRITE, system=READ_AND_DELETE),
    # A sign-on is stored together with its client secret, sealed as all are.
    "security_secret": RoleRights(app=WRITE, auth=APPEND, system=WRITE),
}

# Apps whose models are read and written as the auth role wherever they are used.
IDENTITY_APPS = frozenset({"admin", "auth", "contenttypes", "account", "mfa", "socialaccount"})
IDENTITY_MODELS = frozenset(
    {"tenants.user", "tenants.session", "tenants.formerslug", "accounts.outgoingmail", "accounts.provendomain", "accounts.userpicture"}
)


@dataclass(frozen=True)
class Policy:
    """A permissive policy. `using` and `check` are SQL; `expected` is how PostgreSQL writes it, without whitespace."""

    name: str
    roles: tuple[str, ...]  # fields of DatabaseRoles
    command: str
    using: str | None = None
    check: str | None = None
    stored_sql: str = field(default="true")


_ORGANIZATION = "(select current_setting('app.org')::uuid)"
_STORED_ORGANIZATION = "(SELECT(current_setting('app.org'::text))::uuidAScurrent_setting)"
_OWN_ROWS = f"organization_id = {_ORGANIZATION}"
_STORED_OWN_ROWS = f"(organization_id={_STORED_ORGANIZATION})"
_OWN_ORGANIZATION = f"id = {_ORGANIZATION}"
# OFFSET 0 keeps it a look-up in an index for each person: else PostgreSQL may read all memberships to find out about one.
_COLLEAGUES = (
    f"exists (select from tenants_membership m where m.organization_id = {_ORGANIZATION} and m.user_id = tenants_user.id offset 0)"
)

POLICIES: Mapping[str, tuple[Policy, ...]] = {
    "tenants_organization": (
        Policy("own_organization", ("app",), "ALL", _OWN_ORGANIZATION, _OWN_ORGANIZATION, f"(id={_STORED_ORGANIZATION})"),
        Policy("all_rows", ("auth", "system", "owner"), "ALL", "true", "true"),
    ),
    "tenants_user": (
        Policy(
            "colleagues",
            ("app",),
            "SELECT",
            _COLLEAGUES,
            None,
            f"(EXISTS(SELECTFROMtenants_membershipmWHERE((m.organization_id={_STORED_ORGANIZATION})AND(m.user_id=tenants_user.id))OFFSET0))",
        ),
        Policy("all_rows", ("auth", "system", "owner"), "ALL", "true", "true"),
    ),
    # Read to find the organization of an address that it had before.
    "tenants_formerslug": (Policy("all_rows", ("auth", "owner"), "ALL", "true", "true"),),
    "accounts_provendomain": (
        Policy("whose", ("auth",), "SELECT", "true"),  # read to find the organization whose sign-on an address belongs to
        Policy("proving", ("auth",), "INSERT", None, _OWN_ROWS, _STORED_OWN_ROWS),
        Policy("losing", ("auth",), "DELETE", _OWN_ROWS, None, _STORED_OWN_ROWS),
        Policy("all_rows", ("owner",), "ALL", "true", "true"),
    ),
    "tenants_membership": (
        Policy("tenant_rows", ("app",), "ALL", _OWN_ROWS, _OWN_ROWS, _STORED_OWN_ROWS),
        Policy("who_acts", ("auth",), "SELECT", "true"),  # before the organization is known
        Policy("joining", ("auth",), "INSERT", None, _OWN_ROWS, _STORED_OWN_ROWS),
        Policy("changing", ("auth",), "UPDATE", _OWN_ROWS, _OWN_ROWS, _STORED_OWN_ROWS),
        Policy("leaving", ("auth",), "DELETE", _OWN_ROWS, None, _STORED_OWN_ROWS),
        Policy("all_rows", ("system", "owner"), "ALL", "true", "true"),
    ),
}
