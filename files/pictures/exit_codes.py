"""What the child process says by its exit code."""

TOO_MANY_PIXELS = 3
UNREADABLE = 4
