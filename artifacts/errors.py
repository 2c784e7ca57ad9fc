"""What can go wrong with an artifact, beside "not found"."""

from __future__ import annotations

from tenants.errors import BadRequest, ParleyError


class ArtifactTooLarge(ParleyError):
    """The content is over ARTIFACT_MAX_BYTES."""

    code = "artifact_too_large"
    status = 413
    message = "This is larger than an artifact may be (1 MB). Split it into several."


class UnknownKind(BadRequest):
    """No such artifact kind in artifacts.kinds."""

    code = "unknown_artifact_kind"
    message = "This kind of artifact does not exist."
