"""Documents for people: Markdown, code and tables as PDF and DOCX. Runs in a child process (artifacts.documents starts it)."""
