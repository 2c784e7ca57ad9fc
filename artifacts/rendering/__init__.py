"""Documents for people: Markdown, code and tables as PDF and DOCX. Runs in a child process (artifacts.exports starts it)."""

EXIT_TOO_LARGE = 3  # how the process ends when memory ran out
