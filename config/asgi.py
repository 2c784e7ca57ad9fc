"""The ASGI application: HTTP, WebSockets and the server's lifespan.

Importing it also prepares the process: allocator, checks of the database, garbage collector.
"""

from __future__ import annotations

import gc
import os
from concurrent.futures import ThreadPoolExecutor

import django

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
django.setup(set_prefix=False)  # loads the apps; the imports below need them
gc.disable()  # until these are loaded, too

from channels.routing import ProtocolTypeRouter, URLRouter  # noqa: E402
from channels.security.websocket import WebsocketDenier  # noqa: E402
from channels.sessions import CookieMiddleware  # noqa: E402
from django.urls import re_path  # noqa: E402

from chat.routing import websocket_urlpatterns  # noqa: E402
from config import urls  # noqa: E402, F401  # views and admin pages, before the first request asks for them
from config.allocator import configure_allocator  # noqa: E402
from config.start_checks import check_web_start  # noqa: E402
from config.web.body_limit import BodyLimit  # noqa: E402
from config.web.handler import Handler  # noqa: E402
from config.web.lifespan import lifespan_application  # noqa: E402
from config.web.migration_gate import MigrationGate  # noqa: E402
from config.web.probe_host import ProbeHost  # noqa: E402
from config.web.socket_middleware import OriginCheck, SocketSession  # noqa: E402
from embed.routing import websocket_urlpatterns as embed_urlpatterns  # noqa: E402

configure_allocator()
unknown_path = re_path("", WebsocketDenier.as_asgi())  # type: ignore[arg-type]  # as in chat.routing; without it, Channels raises
socket_urlpatterns = [*websocket_urlpatterns, *embed_urlpatterns, unknown_path]
application = MigrationGate(
    ProtocolTypeRouter(
        {
            "http": BodyLimit(ProbeHost(Handler())),
            "websocket": OriginCheck(CookieMiddleware(SocketSession(URLRouter(socket_urlpatterns)))),  # type: ignore[arg-type]  # Django's path()
            "lifespan": lifespan_application,
        }
    )
)
with ThreadPoolExecutor(1) as thread:  # uvicorn imports this module inside a running event loop, where Django refuses database calls
    thread.submit(check_web_start, application.open).result()

# What is loaded by now stays for the life of the process: exempt it from garbage collection, and let forked children share its pages.
gc.collect()
gc.freeze()
gc.enable()
