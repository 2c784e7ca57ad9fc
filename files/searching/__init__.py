"""Looking for words in many texts. The child process (`python -m files.searching`) imports nothing of the product."""
