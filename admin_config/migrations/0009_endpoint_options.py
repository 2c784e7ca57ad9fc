from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("admin_config", "0008_demo_wires")]

    operations = [
        migrations.AddField(
            model_name="providerendpoint",
            name="tool_mode",
            field=models.CharField(
                choices=[("native", "The provider's own"), ("xml", "XML in the text")],
                db_default="native",
                default="native",
                help_text="XML: for servers that drop the tools of a request. Tools are described in the prompt and calls read out of the text.",
                max_length=8,
                verbose_name="tool calls",
            ),
        ),
        migrations.AddField(
            model_name="providerendpoint",
            name="compatible_options",
            field=models.JSONField(blank=True, db_default={}, default=dict, verbose_name="options of compatible servers"),
        ),
    ]
