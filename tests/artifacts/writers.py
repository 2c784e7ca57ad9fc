"""RandomWriters who change a text at random and know which lines they took out: every line is written once in the world."""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import count
from random import Random


@dataclass
class RandomWriters:
    """`removed`: lines that some writer took out on purpose. All other `lines` that were ever written must still be somewhere."""

    random: Random
    lines: set[str] = field(default_factory=set)
    removed: set[str] = field(default_factory=set)
    numbers: count[int] = field(default_factory=count)

    def line(self, name: str) -> str:
        line = f"{name} wrote line {next(self.numbers)}"
        self.lines.add(line)
        return line

    def edit(self, text: str, name: str) -> str:
        """A few lines come, go or become others; sometimes the text loses or gets the line feed at its end."""
        lines = text.splitlines()
        for _ in range(self.random.randint(1, 4)):
            place = self.random.randint(0, len(lines))
            old_lines = lines[place : place + self.random.choice((0, 0, 1, 1, 2))]
            added = [self.line(name) for _ in range(self.random.choice((0, 1, 1, 2)))]
            self.removed.update(old_lines)
            lines[place : place + len(old_lines)] = added
        return "\n".join(lines) + self.random.choice(("\n", "\n", "\n", ""))

    def lost_lines(self, *texts: str) -> set[str]:
        """Lines that nobody took out and that stand in none of the texts."""
        return self.lines - self.removed - {line for text in texts for line in text.splitlines()}
