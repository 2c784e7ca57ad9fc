"""Looking for words in many texts. The child process (`python -m files.line_search`) imports nothing of the product."""
