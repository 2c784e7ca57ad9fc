"""Pictures: a clean copy of each, redrawn from its pixels in a child process (`python -m files.pictures`).

`process` is what the product calls; `redraw` and `__main__` run in the child and import nothing else of the product, and `exit_codes` is what it
says to `process`.
"""
