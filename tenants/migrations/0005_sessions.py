import django.db.models.deletion
from django.conf import settings
from django.contrib.auth import SESSION_KEY
from django.contrib.sessions.backends.db import SessionStore
from django.db import migrations, models
from django.db.backends.base.schema import BaseDatabaseSchemaEditor
from django.db.migrations.state import StateApps
from django.utils import timezone


def take_over(apps: StateApps, schema_editor: BaseDatabaseSchemaEditor) -> None:
    """Nobody has to sign in again. The former rows stay: web processes of before the update sign nobody out while they are replaced."""
    alias = schema_editor.connection.alias
    former, session = apps.get_model("sessions", "Session").objects.using(alias), apps.get_model("tenants", "Session")
    decode = SessionStore().decode
    rows = [
        session(
            session_key=row.session_key,
            session_data=row.session_data,
            expire_date=row.expire_date,
            user_id=decode(row.session_data).get(SESSION_KEY),
        )
        for row in former.filter(expire_date__gt=timezone.now()).iterator()
    ]
    session.objects.using(alias).bulk_create(rows, batch_size=1000)


class Migration(migrations.Migration):
    dependencies = [("sessions", "0001_initial"), ("tenants", "0004_idempotent_answers")]

    operations = [
        migrations.CreateModel(
            name="Session",
            fields=[
                ("session_key", models.CharField(max_length=40, primary_key=True, serialize=False, verbose_name="session key")),
                ("session_data", models.TextField(verbose_name="session data")),
                ("expire_date", models.DateTimeField(db_index=True, verbose_name="expire date")),
                (
                    "user",
                    models.ForeignKey(
                        db_constraint=False,
                        db_index=False,
                        editable=False,
                        null=True,
                        on_delete=django.db.models.deletion.DO_NOTHING,
                        related_name="sessions",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
            ],
            options={"verbose_name": "session", "verbose_name_plural": "sessions", "abstract": False},
        ),
        migrations.RunPython(take_over, migrations.RunPython.noop),
    ]
