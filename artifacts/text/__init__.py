"""Text algorithms for artifacts: common lines, diffs, three-way merges and UTF-16 offsets. Pure functions.

Used by artifacts, agents.artifact_agents, chat and gallery.
"""
