"""English grammar for messages."""

from __future__ import annotations

import re

_SPELLED = re.compile(r"[A-Z]+\b|np\b")  # spelt out when spoken: an RNN, an np.float64
_VOWEL = re.compile(r"[AEFHILMNORSX]|np\b")
_LIKE_YOU = re.compile(r"u(int|ni|fun|se)|one\b|eu", re.IGNORECASE)  # vowels spoken as consonants: a uint8, a ufunc


def with_article(word: str) -> str:
    """A noun with its article. Quotes around a name are ignored.

    Examples
    --------
    >>> [with_article(w) for w in ("int", "`Model`", "uint8", "`M`", "np.float64")]
    ['an int', 'a `Model`', 'a uint8', 'an `M`', 'an np.float64']
    """
    heard = word.lstrip("`<(")
    if _SPELLED.match(heard):
        vowel = _VOWEL.match(heard) is not None
    else:
        vowel = heard[:1].lower() in "aeiou" and not _LIKE_YOU.match(heard)
    return f"{'an' if vowel else 'a'} {word}"
