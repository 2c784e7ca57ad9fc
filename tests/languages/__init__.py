"""The server's texts in the reader's language: the catalogues are complete, and each edge uses them."""
