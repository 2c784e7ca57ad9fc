"""The child process that reads documents (`python -m files.reading`). It imports nothing of the product: it must need no setting."""
