from django.db import migrations, models
from django.db.models.functions import Now


class Migration(migrations.Migration):
    dependencies = [("chat", "0005_waited")]

    operations = [
        migrations.AddField(model_name="conversation", name="seen_at", field=models.DateTimeField(db_default=Now())),
    ]
