"""Errors of artifacts, besides NotFound and NotAllowed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.utils.translation import gettext_lazy

from tenants.errors import BadRequest, Busy, Conflict, ParleyError

if TYPE_CHECKING:
    from artifacts.merge_context import MergeSides


class ArtifactTooLarge(ParleyError):
    """The content is larger than MAX_ARTIFACT_BYTES."""

    code = "artifact_too_large"
    status = 413
    message = gettext_lazy("This is larger than an artifact may be (1 MB). Split it into several.")


class UnknownKind(BadRequest):
    """artifacts.kinds has no such kind."""

    code = "unknown_artifact_kind"
    message = gettext_lazy("This kind of artifact does not exist.")


class TitleMissing(BadRequest):
    message = gettext_lazy("An artifact needs a title.")


class NotEditable(BadRequest):
    """An image has no text to edit."""

    code = "not_editable"
    message = gettext_lazy("An image cannot be edited as text. Make a new one from another file.")


class OutsideSelection(BadRequest):
    """A patch changes more than the selection (SPEC 7.8)."""

    code = "outside_selection"
    message = gettext_lazy("This would change more than the selected part. Save it as an edit, or select again.")


class SelectionInvalid(BadRequest):
    code = "selection_invalid"
    message = gettext_lazy("The selection is empty or outside of that version. Select the part again.")


class EditConflict(Conflict):
    """The edit and what others wrote since its base changed the same lines; nothing was stored."""

    message = gettext_lazy("Others changed the same lines meanwhile. Choose what is to stay.")

    def __init__(self, sides: MergeSides) -> None:
        super().__init__()
        self.sides = sides


class NotAnImage(BadRequest):
    code = "not_an_image"
    message = gettext_lazy("Only a picture can be an image. Attach a PNG, JPEG, GIF or WebP file.")


class UnknownFormat(BadRequest):
    code = "format_unknown"


class ExportTooLarge(ParleyError):
    """Making the file exceeded its time or memory limit."""

    code = "export_too_large"
    status = 413
    message = gettext_lazy("This is too long to be made into such a file. Download its source instead.")


class ExportBusy(Busy):
    """This process is already making as many files as it may at once."""

    message = gettext_lazy("Other files are being made just now. Please try again in a moment.")


class ExportFailed(ParleyError):
    code = "export_failed"
    status = 400
    message = gettext_lazy("This could not be made into such a file. Download its source instead.")


class LiveUpdateInvalid(BadRequest):
    """It is no change of a live document."""

    code = "live_update_invalid"
    message = gettext_lazy("This change can't be read, so it was not saved. Reload the page.")


class LiveDocumentReplaced(Conflict):
    """The page has a live document that was begun anew meanwhile, or lacks changes that are only in its state by now."""

    code = "live_document_replaced"
    message = gettext_lazy("This document was opened anew meanwhile.")
