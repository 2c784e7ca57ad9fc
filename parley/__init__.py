"""The command `parley` of the wheel, which has the whole program in `parley/app` (docs/decisions/0068)."""
