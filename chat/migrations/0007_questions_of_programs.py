from django.db import migrations, models
from django.db.models import Q


class Migration(migrations.Migration):
    dependencies = [("chat", "0006_conversation_seen")]

    operations = [
        migrations.AddField(model_name="conversation", name="listed", field=models.BooleanField(db_default=True, default=True)),
        migrations.AddField(model_name="run", name="request_overrides", field=models.JSONField(db_default={}, default=dict)),
        migrations.RemoveIndex(model_name="conversation", name="conversation_list"),
        migrations.AddIndex(
            model_name="conversation",
            index=models.Index(
                condition=Q(deleted_at=None, listed=True),
                fields=["organization", "owner", "-updated_at", "-id"],
                name="conversation_list",
            ),
        ),
    ]
