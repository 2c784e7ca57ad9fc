"""Files of cases: JSON lines and CSV in and out, promptfoo's YAML in. Plain data, no database."""
