"""The lock that whoever writes an organization's configuration holds."""

from __future__ import annotations

from uuid import UUID

from django.db import OperationalError, transaction
from psycopg.errors import LockNotAvailable

from admin_config.errors import SettingsBusy
from admin_config.models import AppSettings
from tenants.context import current_alias


def settings_lock(organization_id: UUID) -> AppSettings:
    """Return the organization's settings, locked so that one publication or discard runs at a time.

    Raises SettingsBusy when somebody else keeps the lock for longer than `lock_timeout`. The transaction can go on then.
    """
    try:
        # A savepoint each time, also where the transaction has the lock already: a rollback to an outer savepoint gives it back, and
        # neither a note here nor the row's xmax could tell that reliably.
        with transaction.atomic(using=current_alias()):
            return AppSettings.objects.select_for_update().get(organization_id=organization_id)
    except OperationalError as error:
        if isinstance(error.__cause__, LockNotAvailable):
            raise SettingsBusy from error
        raise
