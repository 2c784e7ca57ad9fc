"""Makes long histories and long lists, and counts what one request costs the application: statements, bytes, milliseconds.

python -m bench.long_histories make MESSAGES CONVERSATIONS    # print the ids of a conversation with MESSAGES messages and one with ten
python -m bench.long_histories get COUNT COOKIE PATH...       # print the cost of each path, medians of COUNT requests without a server
"""

from __future__ import annotations

import asyncio
import os
import statistics
import sys
import time
from collections.abc import Callable
from datetime import timedelta
from typing import Any
from uuid import UUID

import django
import orjson

from bench.stack.seed import SLUG, email_of

SHORT = 10
TEXT = "A sentence of a conversation, about as long as they are. " * 4


def make(messages: int, conversations: int) -> dict[str, str]:
    """Give the first member two conversations and the second one a list; return the conversations' ids as "long" and "short"."""
    from django.utils import timezone

    from chat.models import Conversation
    from tenants.context import tenant_tx
    from tenants.models import Membership, Organization

    organization = Organization.objects.using("auth").get(slug=SLUG)
    first, second = (Membership.objects.using("auth").get(user__email=email_of(number)).pk for number in (0, 1))
    with tenant_tx(organization.pk):
        ids = {"long": _conversation(first, messages), "short": _conversation(first, SHORT)}
        now = timezone.now()
        rows = [
            Conversation(owner_id=second, title=f"About the matter {number}", updated_at=now - timedelta(minutes=number))
            for number in range(conversations)
        ]
        Conversation.objects.bulk_create(rows, batch_size=1000)
    return {name: str(conversation_id) for name, conversation_id in ids.items()}


def _conversation(owner_id: UUID, length: int) -> UUID:
    from django.utils import timezone

    from agents.messages import AssistantText, UserMessage
    from chat.entries import StoredEntry
    from chat.models import Conversation, Message, Part
    from chat.storage.run_writes import part_rows

    conversation = Conversation.objects.create(owner_id=owner_id, title="Long", updated_at=timezone.now())
    messages: list[Message] = []
    parts: list[Part] = []
    for number in range(length):
        is_question = number % 2 == 0
        role = Message.Role.USER if is_question else Message.Role.ASSISTANT
        message = Message(conversation=conversation, parent_id=messages[-1].pk if messages else None, role=role)
        messages.append(message)
        entry = UserMessage(TEXT) if is_question else AssistantText(TEXT)
        parts += part_rows(message_id=message.pk, position=0, entries=[StoredEntry(entry)])
    Message.objects.bulk_create(messages, batch_size=1000)
    Part.objects.bulk_create(parts, batch_size=1000)
    Conversation.objects.filter(pk=conversation.pk).update(head=messages[-1])
    return conversation.pk


class StatementCounter:
    """Counts the statements of all connections of this process."""

    def __init__(self) -> None:
        from django.db.backends.signals import connection_created

        self.statements = 0
        connection_created.connect(self._on_connect, weak=False)

    def _on_connect(self, connection: Any, **_: Any) -> None:
        if self._execute not in connection.execute_wrappers:
            connection.execute_wrappers.append(self._execute)

    def _execute(self, execute: Callable[..., Any], *arguments: Any) -> Any:
        self.statements += 1
        return execute(*arguments)


async def measure_pages(count: int, cookie: str, paths: list[str]) -> list[dict[str, float]]:
    from django.conf import settings
    from django.test import AsyncClient

    counter = StatementCounter()
    settings.ALLOWED_HOSTS.append("testserver")  # the host name of Django's test client
    client = AsyncClient()
    name, _, value = cookie.partition("=")
    client.cookies[name] = value
    return [await _measure_page(client, counter, count, path) for path in paths]


async def _measure_page(client: Any, counter: StatementCounter, count: int, path: str) -> dict[str, float]:
    samples: list[tuple[float, float, int, int]] = []
    for _ in range(count + 2):  # two more, because the first ones open connections
        before, began, began_cpu = counter.statements, time.perf_counter(), time.process_time()
        answer = await client.get(path)
        took, cpu = time.perf_counter() - began, time.process_time() - began_cpu
        if answer.status_code != 200:
            raise RuntimeError(f"{path} gave {answer.status_code}")
        samples.append((took * 1000, cpu * 1000, counter.statements - before, len(answer.content)))
    columns = zip(*samples[2:], strict=True)
    return dict(zip(("ms", "cpu_ms", "statements", "size_bytes"), map(statistics.median, columns), strict=True))


def main() -> None:
    command, *arguments = sys.argv[1:]
    if command == "make":
        result: object = make(int(arguments[0]), int(arguments[1]))
    else:
        result = asyncio.run(measure_pages(int(arguments[0]), arguments[1], arguments[2:]))
    sys.stdout.buffer.write(orjson.dumps(result))


if __name__ == "__main__":
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
    django.setup()
    main()
