"""Writes releases back into the working rows: to discard the draft, to load an old release, to publish only a part of the draft.

- `discard`, `loading`: the whole draft; `partial_release`: what of the draft goes live; `agents`, `rows`: one kind of row each.
"""
