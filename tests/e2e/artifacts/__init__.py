"""The panel: documents, sheets, diagrams and programs, written by agents and by members."""
