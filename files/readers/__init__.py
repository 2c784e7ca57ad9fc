"""The child process that reads documents (`python -m files.readers`). It imports nothing of the product: it must need no setting."""
