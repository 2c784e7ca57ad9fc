"""What members give to others: links, comments, and templates of the gallery."""
