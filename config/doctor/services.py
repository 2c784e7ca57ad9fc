"""Checks of what Parley talks to beside its stores: the mail server, its own workers, and the providers' addresses."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator

from django.conf import settings
from kombu.exceptions import KombuError

from accounts.mail.server import mail_server_check
from admin_config.defaults.providers import PROVIDERS
from chat.runs.recovery import sweep_key
from config.celery import app
from config.doctor.findings import Finding, ok, warning
from security.egress import EgressRefused, FetchFailed, aclose_clients, call
from tenants.lanes.waiting_jobs import LaneState, lanes_read
from tenants.redis.clients import REDIS_ERRORS, sync_client

PING_S = 2.0
CONNECT_S = 5.0


def mail_finding() -> Finding:
    if not settings.EMAIL_HOST:
        return warning("mail", "No mail server: invitations and codes wait on the operator's site.", "Set EMAIL_URL and EMAIL_FROM.")
    if problem := mail_server_check().problem:
        return warning("mail", "Mails wait.", problem)
    return ok("mail", f"{settings.EMAIL_HOST}:{settings.EMAIL_PORT} lets Parley in.")


def worker_findings() -> Iterator[Finding]:
    """Whether workers answer, serve all lanes between them, and whether one of them looks for runs whose process died."""
    try:
        workers = app.control.ping(timeout=PING_S)
        unserved_lanes = [lane for lane in lanes_read() if not lane.slots]
        is_sweeping = sync_client().exists(sweep_key())
    except (*REDIS_ERRORS, KombuError):
        return  # the check of Redis says why
    if workers:
        yield ok("workers", f"{len(workers)} answered.")
        yield from (_unserved_lane(lane) for lane in unserved_lanes)
    else:
        yield warning("workers", f"None answered within {PING_S:.0f} s.", "Start one: python -m config worker")
    if not is_sweeping:
        yield warning("takeover", "Nobody looks for answers whose process died.", "Start a worker, or look into its log.")


def _unserved_lane(lane: LaneState) -> Finding:
    advice = f"Start one that does: python -m config worker --lanes {lane.name}"
    return warning("lanes", f"No worker serves the lane {lane.name}, in which {lane.depth} tasks wait.", advice)


def provider_findings() -> list[Finding]:
    """Whether the addresses of the providers with a public one can be reached. Sends no key; any answer will do."""
    addresses = {spec.label: spec.base_url for spec in PROVIDERS.values() if spec.base_url}
    return asyncio.run(_reach_all(addresses))


async def _reach_all(addresses: dict[str, str]) -> list[Finding]:
    try:
        return list(await asyncio.gather(*(_reach(label, url) for label, url in addresses.items())))
    finally:
        await aclose_clients()


async def _reach(label: str, url: str) -> Finding:
    try:
        response = await call("HEAD", url, content=None, headers={}, timeout_s=CONNECT_S)
    except (EgressRefused, FetchFailed) as problem:
        advice = "Open the firewall for this machine, or let admins set another address at their endpoints."
        return warning("providers", f"{label} at {url} can't be reached: {problem}", advice)
    return ok("providers", f"{label} answers at {url} ({response.status}).")
