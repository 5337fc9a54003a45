"""Parses CQL2 text (OGC 21-065r2): comparisons, LIKE, BETWEEN, IN, IS NULL and S_INTERSECTS, joined by AND, OR, NOT.

Comparisons of two properties and arithmetic belong to classes that are not declared; QGIS sends them all the same."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import date, datetime
from typing import overload

from geoshops.ogc.cql2_tokens import FilterError, Token, Tokens
from geoshops.ogc.wkt import geometries

MAX_LENGTH, MAX_DEPTH, MAX_TERMS, MAX_OPERATORS = 4000, 20, 200, 20
COMPARISONS = ("=", "<>", "<", ">", "<=", ">=")
# what follows a value in parentheses, but not a condition
AFTER_VALUES = {*COMPARISONS, *"+-*/%^", "DIV", "LIKE", "BETWEEN", "IN", "IS", "NOT"}
DATE = re.compile(r"\d{4}-\d\d-\d\d", re.ASCII)
TIMESTAMP = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z", re.ASCII)
Literal = str | float | int | bool | date


@dataclass(frozen=True)
class Property:
    """A reference to a property."""

    name: str
    at: int


@dataclass(frozen=True)
class Arithmetic:
    """Two numbers joined by + - * / % ^ or `div`; `at` is the character of the first one."""

    operator: str
    operands: tuple[Value, Value]
    at: int


Value = Property | Arithmetic | Literal


@dataclass(frozen=True)
class Comparison:
    """A value compared with others: one of COMPARISONS, or with literals: `like`, `between`, `in` or, without any, `null`.

    at: the character of the first value."""

    operator: str
    value: Value
    others: tuple[Value, ...]
    at: int


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
        self._tokens, self._depth, self._terms, self._operators = tokens, 0, 0, 0

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
        with self._nested():
            if self._tokens.has_word("NOT"):
                return Logical("not", (self._factor(),))
            if self._opens_condition() and self._tokens.has_sign("("):
                condition = self._joined("OR")
                self._tokens.sign(")")
                return condition
            return self._predicate()

    @contextmanager
    def _nested(self) -> Iterator[None]:
        self._depth += 1
        if self._depth > MAX_DEPTH:
            raise self._tokens.error(f"conditions are nested at most {MAX_DEPTH} deep")
        yield
        self._depth -= 1

    def _opens_condition(self) -> bool:
        after = self._tokens.after_parentheses()
        return after.kind != "number" and after.text.upper() not in AFTER_VALUES

    def _predicate(self) -> Condition:
        self._terms += 1
        if self._terms > MAX_TERMS:
            raise self._tokens.error(f"a filter has at most {MAX_TERMS} conditions")
        for word in ("TRUE", "FALSE"):
            if self._tokens.has_word(word):
                return Truth(word == "TRUE")
        if self._tokens.has_word("S_INTERSECTS"):
            return self._intersects()
        at = self._tokens.peek().at
        value = self._sum()
        negated = self._tokens.has_word("NOT")
        condition = self._compared(value, at, self._tokens.take(), negated=negated)
        return Logical("not", (condition,)) if negated else condition

    def _compared(self, value: Value, at: int, token: Token, *, negated: bool) -> Condition:
        if token.kind == "sign" and token.text in COMPARISONS and not negated:
            return Comparison(token.text, value, (self._sum(),), at)
        if token.word() == "LIKE":
            return Comparison("like", value, (self._pattern(),), at)
        if token.word() == "BETWEEN":
            low = self._literal()
            self._tokens.keyword("AND")
            return Comparison("between", value, (low, self._literal()), at)
        if token.word() == "IN":
            return Comparison("in", value, self._list(), at)
        if token.word() == "IS" and not negated:
            is_not = self._tokens.has_word("NOT")
            self._tokens.keyword("NULL")
            null = Comparison("null", value, (), at)
            return Logical("not", (null,)) if is_not else null
        raise FilterError(token.at, "a comparison, LIKE, BETWEEN, IN or IS NULL is expected")

    def _calculated(self, operator: str, left: Value, right: Value, at: int) -> Arithmetic:
        self._operators += 1
        if self._operators > MAX_OPERATORS:
            raise self._tokens.error(f"a filter has at most {MAX_OPERATORS} arithmetic operators")
        return Arithmetic(operator, (left, right), at)

    def _sum(self) -> Value:
        at = self._tokens.peek().at
        value = self._product()
        while sign := self._tokens.take_sign("+-"):
            value = self._calculated(sign, value, self._product(), at)
        return value

    def _product(self) -> Value:
        at = self._tokens.peek().at
        value = self._power()
        while sign := self._tokens.take_sign("*/%") or (self._tokens.has_word("DIV") and "div"):
            value = self._calculated(sign, value, self._power(), at)
        return value

    def _power(self) -> Value:
        with self._nested():
            at = self._tokens.peek().at
            value = self._operand()
            if self._tokens.has_sign("^"):
                value = self._calculated("^", value, self._power(), at)
            return value

    def _operand(self) -> Value:
        at = self._tokens.peek().at
        if self._tokens.has_sign("-"):
            return self._calculated("-", 0, self._power(), at)
        if self._tokens.has_sign("("):
            value = self._sum()
            self._tokens.sign(")")
            return value
        return self._literal(or_property=True)

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

    @overload
    def _literal(self) -> Literal: ...
    @overload
    def _literal(self, *, or_property: bool) -> Literal | Property: ...
    def _literal(self, *, or_property: bool = False) -> Literal | Property:
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
        if or_property and token.kind == "name" and not token.word():
            return Property(token.text.strip('"'), token.at)
        raise FilterError(
            token.at,
            f"a {'property, ' if or_property else ''}number, text in quotes, TRUE, FALSE, DATE('…') or TIMESTAMP('…') is expected",
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
