"""Parses CQL2 text (OGC 21-065r2): comparisons, LIKE, BETWEEN, IN, IS NULL and S_INTERSECTS, joined by AND, OR, NOT."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import date, datetime
from typing import NamedTuple

MAX_LENGTH, MAX_DEPTH, MAX_TERMS = 4000, 20, 200
TOKEN = re.compile(
    r"""\s*(?:(?P<string>'(?:[^']|'')*')|(?P<number>[+-]?[0-9]+(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?(?![\w.]))"""
    r"""|(?P<name>"[^"]+"|(?:[^\W\d]|:)[\w.:]*)|(?P<sign><=|>=|<>|[=<>(),]))""",
)
COMPARISONS = ("=", "<>", "<", ">", "<=", ">=")
GEOMETRIES = ("POINT", "LINESTRING", "POLYGON", "MULTIPOINT", "MULTILINESTRING", "MULTIPOLYGON")
WORDS = {"AND", "OR", "NOT", "LIKE", "BETWEEN", "IN", "IS", "NULL", "TRUE", "FALSE"}
Literal = str | float | int | bool | date


class FilterError(ValueError):
    """What is wrong with a filter, and at which character from 1."""

    def __init__(self, at: int, rule: str) -> None:
        super().__init__(rule)
        self.at, self.rule = at, rule


@dataclass(frozen=True)
class Property:
    """A property by its name."""

    name: str
    at: int


@dataclass(frozen=True)
class Comparison:
    """A property compared with literals: one of COMPARISONS, `like`, `between`, `in` or `null`, which has none."""

    operator: str
    property: Property
    literals: tuple[Literal, ...]


@dataclass(frozen=True)
class Intersects:
    """A geometry property that intersects a geometry in WKT."""

    property: Property
    wkt: str


@dataclass(frozen=True)
class Logical:
    """Conditions joined by `and`, `or` or `not`, which has one."""

    operator: str
    conditions: tuple[Condition, ...]


Condition = Comparison | Intersects | Logical


class Token(NamedTuple):
    """A word of a filter; `kind` is string, number, name, sign or end."""

    kind: str
    text: str
    at: int

    def word(self) -> str:
        """The keyword that it is; empty when it is none."""
        return self.text.upper() if self.kind == "name" and self.text.upper() in WORDS else ""


def parse(text: str) -> Condition:
    """The condition in a filter; raises FilterError."""
    if len(text) > MAX_LENGTH:
        raise FilterError(MAX_LENGTH + 1, f"a filter has at most {MAX_LENGTH} characters")
    return _Parser(_tokens(text)).parse()


def _tokens(text: str) -> list[Token]:
    found, at = [], 0
    while text[at:].strip():
        match = TOKEN.match(text, at)
        if match is None:
            raise FilterError(at + 1, "a name, number, text in quotes or operator is expected")
        kind = str(match.lastgroup)
        found.append(Token(kind, match[kind], match.start(kind) + 1))
        at = match.end()
    return [*found, Token("end", "", len(text) + 1)]


class _Parser:
    """Recursive descent; every method consumes the tokens of what it returns."""

    def __init__(self, tokens: list[Token]) -> None:
        self._tokens, self._next, self._depth, self._terms = tokens, 0, 0, 0

    def parse(self) -> Condition:
        condition = self._joined("OR")
        if self._peek().kind != "end":
            raise self._error("AND, OR or the end is expected")
        return condition

    def _joined(self, word: str) -> Condition:
        part = self._factor if word == "AND" else lambda: self._joined("AND")
        conditions = [part()]
        while self._peek().word() == word:
            self._take()
            conditions.append(part())
        return conditions[0] if len(conditions) == 1 else Logical(word.lower(), tuple(conditions))

    def _factor(self) -> Condition:
        self._depth += 1
        if self._depth > MAX_DEPTH:
            raise self._error(f"conditions are nested at most {MAX_DEPTH} deep")
        try:
            if self._peek().word() == "NOT":
                self._take()
                return Logical("not", (self._factor(),))
            if self._peek().text == "(" and self._peek().kind == "sign":
                self._take()
                condition = self._joined("OR")
                self._sign(")")
                return condition
            return self._predicate()
        finally:
            self._depth -= 1

    def _predicate(self) -> Condition:
        self._terms += 1
        if self._terms > MAX_TERMS:
            raise self._error(f"a filter has at most {MAX_TERMS} conditions")
        if self._peek().text.upper() == "S_INTERSECTS":
            return self._intersects()
        name = self._property()
        negated = self._peek().word() == "NOT"
        if negated:
            self._take()
        condition = self._compared(name, self._take())
        return Logical("not", (condition,)) if negated else condition

    def _compared(self, name: Property, token: Token) -> Condition:
        if token.kind == "sign" and token.text in COMPARISONS and self._before(token) != "NOT":
            return Comparison(token.text, name, (self._literal(),))
        if token.word() == "LIKE":
            return Comparison("like", name, (self._literal(),))
        if token.word() == "BETWEEN":
            low = self._literal()
            self._keyword("AND")
            return Comparison("between", name, (low, self._literal()))
        if token.word() == "IN":
            return Comparison("in", name, self._list())
        if token.word() == "IS" and self._before(token) != "NOT":
            negated = self._peek().word() == "NOT"
            if negated:
                self._take()
            self._keyword("NULL")
            null = Comparison("null", name, ())
            return Logical("not", (null,)) if negated else null
        raise FilterError(token.at, "a comparison, LIKE, BETWEEN, IN or IS NULL is expected")

    def _before(self, token: Token) -> str:
        return self._tokens[self._tokens.index(token) - 1].word()

    def _list(self) -> tuple[Literal, ...]:
        self._sign("(")
        literals = [self._literal()]
        while self._peek().text == ",":
            self._take()
            literals.append(self._literal())
            if len(literals) > MAX_TERMS:
                raise self._error(f"a list has at most {MAX_TERMS} values")
        self._sign(")")
        return tuple(literals)

    def _intersects(self) -> Intersects:
        self._take()
        self._sign("(")
        name = self._property()
        self._sign(",")
        wkt = self._geometry()
        self._sign(")")
        return Intersects(name, wkt)

    def _geometry(self) -> str:
        """A geometry as WKT; BBOX(west, south, east, north) becomes a polygon, of six numbers without the heights."""
        token = self._take()
        kind = token.text.upper()
        if kind == "BBOX":
            numbers = self._list()
            if len(numbers) not in (4, 6) or not all(type(n) in (int, float) for n in numbers):
                raise FilterError(token.at, "BBOX has four numbers, or six with heights")
            half = len(numbers) // 2
            west, south, east, north = (*numbers[:2], *numbers[half : half + 2])
            return f"POLYGON(({west} {south},{east} {south},{east} {north},{west} {north},{west} {south}))"
        if kind not in GEOMETRIES:
            raise FilterError(token.at, f"one of BBOX, {', '.join(GEOMETRIES)} is expected")
        parts, depth = [kind], 0
        while True:
            part = self._take()
            depth += {"(": 1, ")": -1}.get(part.text, 0)
            if (
                part.kind not in ("number", "sign")
                or part.text in COMPARISONS
                or (depth == 0 and part.text != ")")
            ):
                raise FilterError(part.at, "numbers in parentheses are expected")
            parts.append(part.text)
            if depth == 0:
                return " ".join(parts)

    def _property(self) -> Property:
        token = self._take()
        if token.kind != "name" or token.word():
            raise FilterError(token.at, "a property is expected")
        return Property(token.text.strip('"'), token.at)

    def _literal(self) -> Literal:
        token = self._take()
        if token.kind == "string":
            return token.text[1:-1].replace("''", "'")
        if token.kind == "number":
            return float(token.text) if re.search("[.eE]", token.text) else int(token.text)
        if token.word() in ("TRUE", "FALSE"):
            return token.word() == "TRUE"
        if token.text.upper() in ("DATE", "TIMESTAMP"):
            self._sign("(")
            moment = self._take()
            self._sign(")")
            return _moment(moment, token.text.upper())
        raise FilterError(
            token.at,
            "a number, text in quotes, TRUE, FALSE, DATE('…') or TIMESTAMP('…') is expected",
        )

    def _keyword(self, word: str) -> None:
        if self._take().word() != word:
            raise FilterError(self._tokens[self._next - 1].at, f"{word} is expected")

    def _sign(self, sign: str) -> None:
        token = self._take()
        if token.kind != "sign" or token.text != sign:
            raise FilterError(token.at, f"{sign} is expected")

    def _peek(self) -> Token:
        return self._tokens[self._next]

    def _take(self) -> Token:
        token = self._tokens[self._next]
        if token.kind == "end":
            raise FilterError(token.at, "the filter ends too early")
        self._next += 1
        return token

    def _error(self, rule: str) -> FilterError:
        return FilterError(self._peek().at, rule)


def _moment(token: Token, kind: str) -> date:
    text = token.text.strip("'")
    try:
        return date.fromisoformat(text) if kind == "DATE" else datetime.fromisoformat(text)
    except ValueError:
        form = "YYYY-MM-DD" if kind == "DATE" else "YYYY-MM-DDTHH:MM:SSZ"
        raise FilterError(token.at, f"a {kind.lower()} is written {form}") from None
