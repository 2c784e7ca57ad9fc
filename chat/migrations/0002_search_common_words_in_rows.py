"""Replaces the functions that search texts: they look for common words in the rows that the index finds for the others.

The functions keep their names and parameters, so the former version of the code calls them as before.
"""

from django.db import migrations

from chat.search import search_sql


class Migration(migrations.Migration):
    dependencies = [("chat", "0001_initial")]

    lock_review = "replaces two functions in place; a search that is under way ends with the former one"
    operations = [migrations.RunSQL(search_sql.install(), migrations.RunSQL.noop)]
