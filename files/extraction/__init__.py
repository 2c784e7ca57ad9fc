"""Extraction: the text of documents that members and admins upload, read beside other work.

- `text`: reads one file in a child process (`files.readers`); files.knowledge and agents.tools.web call it.
- `claims`: no two workers read one file; `reading_lane`: the threads of a worker that read. files.tasks and config.celery start them.
"""
