"""Line search in many texts. The child process (`python -m files.line_search`) imports nothing else of the product but files.readers."""
