"""Parses CQL2 text (OGC 21-065r2): comparisons, LIKE, BETWEEN, IN, IS NULL and S_INTERSECTS, joined by AND, OR, NOT."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import date, datetime

from geoshops.ogc.cql2_tokens import FilterError, Token, Tokens
from geoshops.ogc.wkt import geometries

MAX_LENGTH, MAX_DEPTH, MAX_TERMS = 4000, 20, 200
COMPARISONS = ("=", "<>", "<", ">", "<=", ">=")
DATE = re.compile(r"\d{4}-\d\d-\d\d", re.ASCII)
TIMESTAMP = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z", re.ASCII)
Literal = str | float | int | bool | date


@dataclass(frozen=True)
class Property:
    """A reference to a property."""

    name: str
    at: int


@dataclass(frozen=True)
class Comparison:
    """A property compared with literals: one of COMPARISONS, `like`, `between`, `in` or, without literals, `null`."""

    operator: str
    property: Property
    literals: tuple[Literal, ...]


@dataclass(frozen=True)
class Intersects:
    """A geometry property that intersects any of several geometries in WKT; `at` is the character of the first one."""

    property: Property
    wkts: tuple[str, ...]
    at: int


@dataclass(frozen=True)
class Logical:
    """Conditions joined by `and` or `or`, or one condition with `not`."""

    operator: str
    conditions: tuple[Condition, ...]


@dataclass(frozen=True)
class Truth:
    """TRUE or FALSE."""

    value: bool


Condition = Comparison | Intersects | Logical | Truth


def parse(text: str) -> Condition:
    """Parses a filter; raises FilterError."""
    if len(text) > MAX_LENGTH:
        raise FilterError(MAX_LENGTH + 1, f"a filter has at most {MAX_LENGTH} characters")
    return _Parser(Tokens(text)).parse()


class _Parser:
    """Recursive descent; every method consumes the tokens of what it returns."""

    def __init__(self, tokens: Tokens) -> None:
        self._tokens, self._depth, self._terms = tokens, 0, 0

    def parse(self) -> Condition:
        condition = self._joined("OR")
        if self._tokens.peek().kind != "end":
            raise self._tokens.error("AND, OR or the end is expected")
        return condition

    def _joined(self, word: str) -> Condition:
        part = self._factor if word == "AND" else lambda: self._joined("AND")
        conditions = [part()]
        while self._tokens.has_word(word):
            conditions.append(part())
        return conditions[0] if len(conditions) == 1 else Logical(word.lower(), tuple(conditions))

    def _factor(self) -> Condition:
        self._depth += 1
        if self._depth > MAX_DEPTH:
            raise self._tokens.error(f"conditions are nested at most {MAX_DEPTH} deep")
        try:
            if self._tokens.has_word("NOT"):
                return Logical("not", (self._factor(),))
            if self._tokens.has_sign("("):
                condition = self._joined("OR")
                self._tokens.sign(")")
                return condition
            return self._predicate()
        finally:
            self._depth -= 1

    def _predicate(self) -> Condition:
        self._terms += 1
        if self._terms > MAX_TERMS:
            raise self._tokens.error(f"a filter has at most {MAX_TERMS} conditions")
        for word in ("TRUE", "FALSE"):
            if self._tokens.has_word(word):
                return Truth(word == "TRUE")
        if self._tokens.has_word("S_INTERSECTS"):
            return self._intersects()
        name = self._property()
        negated = self._tokens.has_word("NOT")
        condition = self._compared(name, self._tokens.take(), negated=negated)
        return Logical("not", (condition,)) if negated else condition

    def _compared(self, name: Property, token: Token, *, negated: bool) -> Condition:
        if token.kind == "sign" and token.text in COMPARISONS and not negated:
            return Comparison(token.text, name, (self._literal(),))
        if token.word() == "LIKE":
            return Comparison("like", name, (self._pattern(),))
        if token.word() == "BETWEEN":
            low = self._literal()
            self._tokens.keyword("AND")
            return Comparison("between", name, (low, self._literal()))
        if token.word() == "IN":
            return Comparison("in", name, self._list())
        if token.word() == "IS" and not negated:
            is_not = self._tokens.has_word("NOT")
            self._tokens.keyword("NULL")
            null = Comparison("null", name, ())
            return Logical("not", (null,)) if is_not else null
        raise FilterError(token.at, "a comparison, LIKE, BETWEEN, IN or IS NULL is expected")

    def _list(self) -> tuple[Literal, ...]:
        self._tokens.sign("(")
        literals = [self._literal()]
        while self._tokens.has_sign(","):
            literals.append(self._literal())
            if len(literals) > MAX_TERMS:
                raise self._tokens.error(f"a list has at most {MAX_TERMS} values")
        self._tokens.sign(")")
        return tuple(literals)

    def _intersects(self) -> Intersects:
        self._tokens.sign("(")
        name = self._property()
        self._tokens.sign(",")
        at = self._tokens.peek().at
        wkts = geometries(self._tokens)
        self._tokens.sign(")")
        return Intersects(name, wkts, at)

    def _property(self) -> Property:
        token = self._tokens.take()
        if token.kind != "name" or token.word():
            raise FilterError(token.at, "a property is expected")
        return Property(token.text.strip('"'), token.at)

    def _pattern(self) -> Literal:
        at = self._tokens.peek().at
        pattern = self._literal()
        if isinstance(pattern, str) and (len(pattern) - len(pattern.rstrip("\\"))) % 2:
            raise FilterError(at, "a pattern must not end with the escape character")
        return pattern

    def _literal(self) -> Literal:
        token = self._tokens.take()
        if token.kind == "string":
            return token.string()
        if token.kind == "number":
            return token.number()
        if token.word() in ("TRUE", "FALSE"):
            return token.word() == "TRUE"
        if token.kind == "name" and token.text.upper() in ("DATE", "TIMESTAMP"):
            self._tokens.sign("(")
            moment = self._tokens.take()
            self._tokens.sign(")")
            return _moment(moment, token.text.upper())
        raise FilterError(
            token.at,
            "a number, text in quotes, TRUE, FALSE, DATE('…') or TIMESTAMP('…') is expected",
        )


def parse_date(text: str) -> date | None:
    """Parses a date YYYY-MM-DD; returns None for other texts."""
    try:
        return date.fromisoformat(text) if DATE.fullmatch(text) else None
    except ValueError:
        return None


def _parse_timestamp(text: str) -> datetime | None:
    try:
        return datetime.fromisoformat(text) if TIMESTAMP.fullmatch(text) else None
    except ValueError:
        return None


def _moment(token: Token, kind: str) -> date:
    text = token.string() if token.kind == "string" else ""
    moment = parse_date(text) if kind == "DATE" else _parse_timestamp(text)
    if moment is None:
        form = "YYYY-MM-DD" if kind == "DATE" else "YYYY-MM-DDTHH:MM:SSZ"
        raise FilterError(token.at, f"a {kind.lower()} is written '{form}'")
    return moment
