"""Django's settings: one module for Django itself, one per third-party package, and `parley` for our own.

`celery` also says how workers reach their broker: by TLS, with a checked certificate, or through Sentinels.

DJANGO_SETTINGS_MODULE is `config.settings`. Other packages read them through `django.conf.settings`.
"""
# ruff: noqa: E402, F403

import gc

gc.disable()  # until all apps are loaded (config.apps): what is imported stays, and to look for garbage in it took a tenth of each start

from config.settings.accounts import *
from config.settings.caches import *
from config.settings.celery import *
from config.settings.channels import *
from config.settings.django import *
from config.settings.files import *
from config.settings.generics import *
from config.settings.logging import *
from config.settings.mail import *
from config.settings.parley import *
from config.settings.rest_framework import *
from config.settings.telemetry import *
from config.settings.unfold import *
from config.settings.whitenoise import *
