"""Pictures: a clean copy of each, redrawn from its pixels in a child process (`python -m files.pictures`), and the first frame of a GIF.

`process` is what the product calls; `redraw`, `first_frame` and `__main__` run in the child and import nothing else of the product, and
`exit_codes` is what they say to `process`.
"""
