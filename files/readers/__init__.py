"""Document readers: the child process that extracts text (`python -m files.readers`), and `confine` for all child processes.

It imports nothing else of the product, so that it needs no settings. Started by files.extraction.text.
"""
