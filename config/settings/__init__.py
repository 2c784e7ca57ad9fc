"""Django first, one file per third party; DJANGO_SETTINGS_MODULE is `config.settings`."""
# ruff: noqa: F403

from config.settings.celery import *
from config.settings.channels import *
from config.settings.django import *
from config.settings.files import *
from config.settings.generics import *
from config.settings.logging import *
from config.settings.parley import *
from config.settings.rest_framework import *
from config.settings.unfold import *
from config.settings.whitenoise import *
