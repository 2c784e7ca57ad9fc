"""Words of messages and of queries: pure functions.

A word is stored with its owner's key in front. Therefore a look-up reads the entries of one member only, however many words the others
have, and a prefix can't reach into theirs.
"""

from __future__ import annotations

import re
import unicodedata
from collections import defaultdict
from collections.abc import Iterator, Sequence
from itertools import islice
from typing import Final, NamedTuple
from uuid import UUID

MAX_WORD_CHARS: Final = 40
MAX_WORDS: Final = 12_000  # of a message; PostgreSQL counts positions up to 16,383
MAX_QUERY_WORDS: Final = 10
MIN_TYPO_CHARS: Final = 4


# Chinese and Japanese have no spaces: each of their characters is a word.
IDEOGRAPHS: Final = "\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff"
_WORD: Final = re.compile(rf"[{IDEOGRAPHS}]|[^\W_{IDEOGRAPHS}]+")


class Word(NamedTuple):
    """A word in a text, where it begins and ends, in small letters and without accents."""

    start: int
    end: int
    text: str


def words_in(text: str) -> Iterator[Word]:
    for match in _WORD.finditer(text):
        if plain := _plain(match[0]):
            yield Word(match.start(), match.end(), plain)


def _plain(word: str) -> str:
    if word.isascii():
        return word.lower()[:MAX_WORD_CHARS]
    letters = unicodedata.normalize("NFKD", word.casefold())
    return "".join(letter for letter in letters if letter.isalnum())[:MAX_WORD_CHARS]


def query_words(query: str) -> dict[str, str]:
    """Return the words of a query in its order, at most MAX_QUERY_WORDS, each with how it was typed."""
    return dict(islice({word.text: query[word.start : word.end] for word in words_in(query)}.items(), MAX_QUERY_WORDS))


def owner_key(owner_id: UUID) -> str:
    """Return what stands in front of the owner's words. Two owners may share a key: rows also name their owner."""
    return owner_id.hex[:8]


def text_vector(texts: Sequence[str], owner_id: UUID) -> tuple[str, set[str]]:
    """Return a tsvector in PostgreSQL's own notation, and the words in it."""
    key = owner_key(owner_id)
    positions: dict[str, list[int]] = defaultdict(list)
    for number, word in enumerate(islice((word for text in texts for word in words_in(text)), MAX_WORDS), start=1):
        positions[word.text].append(number)
    return " ".join(f"'{key}{word}':{','.join(map(str, places[:20]))}" for word, places in positions.items()), set(positions)


def text_query(words: Sequence[str], owner_id: UUID, similar: dict[str, list[str]]) -> str:
    """Return a tsquery: each word as a beginning, or one of those that are `similar` to it."""
    key = owner_key(owner_id)
    alternatives = ([f"'{key}{word}':*", *(f"'{key}{other}'" for other in similar.get(word, ()))] for word in words)
    return " & ".join(f"({' | '.join(either)})" for either in alternatives)


def has_typos(word: str) -> bool:
    """Return whether words that look like this one are of interest. Short ones look like too many, and numbers are what they are."""
    return len(word) >= MIN_TYPO_CHARS and word.isalpha()


def trigrams(word: str) -> list[str]:
    """Return the word's runs of three characters, as pg_trgm makes them: with two blanks before and one behind it."""
    padded_word = f"  {word} "
    return [*dict.fromkeys(padded_word[start : start + 3] for start in range(len(padded_word) - 2))]


def stored_trigrams(word: str, owner_id: UUID) -> list[str]:
    """Return the trigrams with the owner's key in front."""
    return [owner_key(owner_id) + trigram for trigram in trigrams(word)]
