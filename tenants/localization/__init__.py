"""How things are written for the reader.

- `language`: the reader's language, and dates in it. `labels`: the names of models and fields.
- `figures`: numbers and costs. `currency`: the currency in which costs are shown.

Every app calls these modules.
"""
