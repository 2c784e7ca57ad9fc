"""How the child process tells a page's title: as the first line of its text."""

TITLE = "Title: "
