"""Rendering of documents: Markdown, code and tables as PDF and DOCX. artifacts.exports runs it as a child process."""

EXIT_TOO_LARGE = 3  # exit code when memory ran out
