"""What tools do on the web for an agent: read a page, ask a search engine."""
