"""Tokenises CQL2 text; each token has its position."""

from __future__ import annotations

import math
import re
from typing import NamedTuple

TOKEN = re.compile(
    r"""\s*(?:(?P<string>'(?:[^'\\]|''|\\.)*')"""
    r"""|(?P<number>[+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?(?![\w.]))"""
    r"""|(?P<name>"[^"]+"|(?:[^\W\d]|:)[\w.:]*)|(?P<sign><=|>=|<>|[=<>(),+*/%^-]))""",
    re.DOTALL,
)
WORDS = {"AND", "OR", "NOT", "LIKE", "BETWEEN", "IN", "IS", "NULL", "TRUE", "FALSE"}
# escapes in a character literal; any other backslash is literal, as LIKE requires
ESCAPED = re.compile(r"''|\\['\\abtnvfr]")
CHARACTERS = {
    "''": "'", r"\'": "'", "\\\\": "\\", r"\a": "\a", r"\b": "\b", r"\t": "\t", r"\n": "\n", r"\v": "\v",
    r"\f": "\f", r"\r": "\r",
}  # fmt: skip


class FilterError(ValueError):
    """A syntax error in a filter: the character, from 1, and the violated rule."""

    def __init__(self, at: int, rule: str) -> None:
        super().__init__(rule)
        self.at, self.rule = at, rule


class Token(NamedTuple):
    """A token of a filter; `kind` is string, number, name, sign or end."""

    kind: str
    text: str
    at: int

    def word(self) -> str:
        """The keyword in upper case; empty if the token is not a keyword."""
        return self.text.upper() if self.kind == "name" and self.text.upper() in WORDS else ""

    def string(self) -> str:
        """The value of a character literal, without quotes and escapes."""
        return ESCAPED.sub(lambda escaped: CHARACTERS[escaped[0]], self.text[1:-1])

    def number(self) -> float:
        """The value of a numeric literal; integers stay integers."""
        value = float(self.text)
        if not math.isfinite(value):
            raise FilterError(self.at, "a number must be finite")
        return value if re.search("[.eE]", self.text) else int(self.text)


class Tokens:
    """A stream of the filter's tokens; the last one has the kind `end`."""

    def __init__(self, text: str) -> None:
        self._tokens, self._next = _split(text), 0

    def peek(self) -> Token:
        """Returns the next token without consuming it."""
        return self._tokens[self._next]

    def take(self) -> Token:
        """Consumes the next token; raises FilterError at the end."""
        token = self._tokens[self._next]
        if token.kind == "end":
            raise FilterError(token.at, "the filter ends too early")
        self._next += 1
        return token

    def sign(self, sign: str) -> None:
        """Consumes a required sign."""
        token = self.take()
        if token.kind != "sign" or token.text != sign:
            raise FilterError(token.at, f"{sign} is expected")

    def has_sign(self, sign: str) -> bool:
        """Consumes a sign if it is the next token."""
        token = self.peek()
        found = token.kind == "sign" and token.text == sign
        self._next += found
        return found

    def take_sign(self, signs: str) -> str:
        """Consumes one of several signs, also that of a number (`a -1`), and returns it; empty if it is not the next token."""
        token = self.peek()
        if token.kind == "number" and token.text[0] in signs:
            rest = token._replace(text=token.text[1:], at=token.at + 1)
            self._tokens[self._next] = rest
            return token.text[0]
        found = token.kind == "sign" and token.text in signs
        self._next += found
        return token.text if found else ""

    def after_parentheses(self) -> Token:
        """Returns the token after the closing parenthesis of the next token, which opens one; else the last token."""
        depth = 0
        for at in range(self._next, len(self._tokens) - 1):
            token = self._tokens[at]
            if token.kind == "sign":
                depth += (token.text == "(") - (token.text == ")")
            if depth == 0:
                return self._tokens[at + 1]
        return self._tokens[-1]

    def keyword(self, word: str) -> None:
        """Consumes a required keyword."""
        token = self.take()
        if token.word() != word:
            raise FilterError(token.at, f"{word} is expected")

    def has_word(self, word: str) -> bool:
        """Consumes a word, keyword or not, if it is the next token."""
        token = self.peek()
        found = token.kind == "name" and token.text.upper() == word
        self._next += found
        return found

    def error(self, rule: str) -> FilterError:
        """Creates an error at the next token."""
        return FilterError(self.peek().at, rule)


def _split(text: str) -> list[Token]:
    found, at = [], 0
    while text[at:].strip():
        match = TOKEN.match(text, at)
        if match is None:
            rule = "a name, number, text in quotes or operator is expected"
            raise FilterError(at + 1 + len(text[at:]) - len(text[at:].lstrip()), rule)
        kind = str(match.lastgroup)
        found.append(Token(kind, match[kind], match.start(kind) + 1))
        at = match.end()
    return [*found, Token("end", "", len(text) + 1)]
