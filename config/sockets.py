"""The session of a socket's handshake."""

from __future__ import annotations

from typing import Any

from channels.sessions import InstanceSessionWrapper, SessionMiddleware


class SocketSession(SessionMiddleware):
    """Puts the session into the scope, as Channels does, and leaves `send` alone.

    Channels looks at the session with every frame, whether it has to be saved: which it does with the start of a response, and a socket has none.
    """

    async def __call__(self, scope: Any, receive: Any, send: Any) -> Any:
        wrapper = InstanceSessionWrapper(scope, send)
        await wrapper.resolve_session()
        application: Any = self.inner
        return await application(wrapper.scope, receive, send)
