"""Scripts around the code: first start, front end build, lock files. Standard library only."""
