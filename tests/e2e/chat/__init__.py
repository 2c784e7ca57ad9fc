"""One conversation: the message box, answers as they come, and what is done with a message."""
