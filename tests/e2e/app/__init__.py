"""What holds on every page: accessibility, the keyboard, languages, what is loaded first, and how tests get their windows."""
