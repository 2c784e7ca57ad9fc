"""Tags of the two admin sites' pages."""
