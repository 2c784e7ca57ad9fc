"""Document readers: the child process that extracts text (`python -m files.readers`), and `confinement` for all child processes.

- `documents`: PDF, Office and text files; `web_pages`: HTML. `output`: how the text goes back to the parent.

It imports nothing else of the product, so that it needs no settings. Started by files.extraction.text.
"""
