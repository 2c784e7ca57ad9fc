"""The demo's Python programs, which run in the browser unchanged. One of them fails, so that there is something to fix."""

from __future__ import annotations

import re

from doubles.demo.showcase import STOCK_PLOT, TEA_STOCK

PRIMES = '''\
LIMIT = 50


def primes(limit: int) -> list[int]:
    """All primes below `limit`, by the sieve of Eratosthenes."""
    is_prime = [True] * limit
    for number in range(2, limit):
        if is_prime[number]:
            for multiple in range(number * number, limit, number):
                is_prime[multiple] = False
    return [number for number in range(2, limit) if is_prime[number]]


print("Primes below", LIMIT)
print(*primes(LIMIT))
'''

PLOT = """\
import math

import matplotlib.pyplot as plt

xs = [step / 10 for step in range(0, 63)]
plt.plot(xs, [math.sin(x) for x in xs], label="sine")
plt.plot(xs, [math.cos(x) for x in xs], label="cosine")
plt.legend()
plt.title("Two waves")
plt.show()
"""

SUMS = """\
from statistics import mean

MONTHS = {"January": 120, "February": 95, "March": 143, "April": 158}


def bar(value: int) -> str:
    return "#" * (value // 10)


for month, value in MONTHS.items():
    print(f"{month:<10} {value:>5} {bar(value)}")
print(f"{'average':<10} {mean(MONTHS.values()):>5.0f}")
"""

BROKEN_PROGRAM = """\
def average(numbers: list[float]) -> float:
    return sum(numbers) / len(numbers)


measured = {"Monday": [3.5, 4.0], "Tuesday": [], "Wednesday": [5.5]}
for day, values in measured.items():
    print(day, average(values))
"""
_WRONG, _RIGHT = "return sum(numbers) / len(numbers)\n", "return sum(numbers) / len(numbers) if numbers else 0.0\n"

ENDLESS = """\
import time

print("Counting; press Stop.")
number = 0
while True:
    number += 1
    print(number)
    time.sleep(0.5)
"""

SNIPPET = "squares = {number: number**2 for number in range(1, 11)}\nprint(squares)\n"

_PROGRAMS = (
    (r"\b(?:error|bug|broken|fails?|wrong)\b", BROKEN_PROGRAM),
    (r"\b(?:plot|chart|curve|sine|graph)\b", PLOT),
    (r"\b(?:endless|for ever|forever|infinite)\b", ENDLESS),
    (r"\bprimes?\b", PRIMES),
)


def program(instruction: str) -> str:
    """Return the program that fits the instruction best."""
    if TEA_STOCK.pattern.search(instruction):
        return STOCK_PLOT
    return next((code for pattern, code in _PROGRAMS if re.search(pattern, instruction, re.IGNORECASE)), SUMS)


def apply_change(code: str, instruction: str) -> str:
    """Return the code with a note about the requested change, which a script can't make."""
    request = " ".join(instruction.split())[:200]
    return f"{code.rstrip()}\n\n# Requested change: {request}\nprint({request!r})\n"


def repair(code: str, error: str) -> str:
    """Return the code without the demo's own mistake; any other error is only noted."""
    if _WRONG in code:
        return code.replace(_WRONG, _RIGHT)
    last = next((line.strip() for line in reversed(error.splitlines()) if line.strip()), "")
    return f"# The demo provider can't mend this error; a real model would: {last[:200]}\n{code}"


def explain(code: str) -> str:
    names = re.findall(r"^(?:def|class) (\w+)", code, re.MULTILINE)
    lines = len([line for line in code.splitlines() if line.strip()])
    parts = f"It defines {', '.join(f'`{name}`' for name in names)}" if names else "It defines no function"
    return f"This program has {lines} lines. {parts} and prints what it finds.\n\nI am the demo provider: a real model would now go through it part by part."
