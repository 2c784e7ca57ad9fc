"""One module per `manage.py` command. `migrate` is Django's, one at a time and with fewer model classes made anew."""
