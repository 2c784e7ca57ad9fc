"""The texts of the admin's scripts (static/admin_config): the page hands those of the reader's language to `word` in admin.js.

tests/languages fails on a text of a script that is missing here.
"""

from __future__ import annotations

from django.utils.translation import get_language, gettext, gettext_noop as _

TEXTS = (
    _("All providers"),
    _("Allow"),
    _("Asks you"),
    _("Back to all providers"),
    _("Back to the default"),
    _("Back to the text"),
    _("Cached prefix, {tokens} tokens, the same for every member"),
    _("Cancel"),
    _("Changes by member and day, {tokens} tokens"),
    _("Code from your app, or a recovery code"),
    _("Compare with all providers"),
    _("Compare with the default"),
    _("Confirm in another way (opens a tab)"),
    _("Confirm it's you"),
    _("Continue"),
    _("Customize"),
    _("Customized"),
    _("Default"),
    _("Deny"),
    _("Done"),
    _("Done in {seconds} s"),
    _("Failed"),
    _("Insert {name}"),
    _("Insert {name}, which is used"),
    _("Keep mine"),
    _("List {place}"),
    _("Open as run"),
    _("Save as case"),
    _("Use its tool results"),
    _("Paste the address of a run."),
    _("What {tool} would have given, as text or JSON"),
    _("What would {tool} have given, as text or JSON?"),
    _("Use the new default"),
    _("Use this result"),
    _("Your text stays. This is remembered when you save."),
    _("Pages"),
    _("Password"),
    _("Platform"),
    _("price unknown"),
    _("Search"),
    _("Show what changed"),
    _("Start page"),
    _("Stop updating"),
    _("Text"),
    _("The default changed since you customized this."),
    _("The preview could not be made."),
    _("The preview shows the last text that could be composed."),
    _("The server cannot be reached. Check your connection and try again."),
    _("The server could not do this. Try again."),
    _("This agent is not live yet, so only the draft answers."),
    _("This could not be tried. Reload the page and try again."),
    _("This did not work."),
    _("Thoughts"),
    _("Tool"),
    _("Undo"),
    _("Update by itself"),
    _("Waits for you"),
    _("Working…"),
    _("Writing…"),
    _("You are about to do something important."),
    _("You denied it."),
    _("{first} is one end. Choose the other."),
    _("{first} to {last}"),
    _("{name} is not known here"),
    _("{read} in, {written} out"),
    _("{title}: {kind}, version {version}"),
    _("{tokens} tokens"),
    _("{tokens} tokens of at most {most}, {cached} of them cached"),
)


def script_texts() -> dict[str, str]:
    """Return the texts by their English; none in English, which the scripts have themselves."""
    return {} if get_language() == "en" else {text: gettext(text) for text in TEXTS}
