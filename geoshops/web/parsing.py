"""Loads query parameters and JSON bodies; reports errors in the contract's order."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping, Sequence
from functools import wraps
from typing import Any, TypeVar, cast
from urllib.parse import unquote

from flask import request
from marshmallow import Schema, ValidationError, missing
from werkzeug.exceptions import RequestEntityTooLarge
from werkzeug.wrappers import Request

from geoshops.errors import ApiError, Reason
from geoshops.web.fields import Args, invalid, is_absent, looks_swapped, name_of
from geoshops.web.response import JSON

View = TypeVar("View", bound=Callable[..., Any])
# the values that a client sent under each name, in order
Query = dict[str, list[str]]

# maximum number of characters of an unknown parameter's name in a message
MAX_NAME = 100
SURROGATES = re.compile("[\ud800-\udfff]")
UTF_8 = ("utf-8", "utf8")


class ContractParser:
    """flask-smorest's interface to the loaders below."""

    DEFAULT_VALIDATION_STATUS = 400

    def use_args(
        self, schema: type[Schema] | Schema, *, location: str = "json"
    ) -> Callable[[View], View]:
        """Passes the loaded values as the view's next positional argument."""
        instance = schema() if isinstance(schema, type) else schema
        load = _query_loader(instance) if isinstance(instance, Args) else _body_loader(instance)

        def decorator(view: View) -> View:
            @wraps(view)
            def wrapper(*args: Any, **kwargs: Any) -> Any:
                return view(*args, load(), **kwargs)

            return cast(View, wrapper)

        return decorator


def _query_loader(schema: Args) -> Callable[[], dict[str, Any]]:
    load = QueryLoader(schema)
    return lambda: load(parse_query(request.environ.get("QUERY_STRING", "")))


def _body_loader(schema: Schema) -> Callable[[], dict[str, Any]]:
    load = BodyLoader(schema)
    return lambda: load(request)


def parse_query(query: str) -> Query:
    """The values of each name. Bytes that are not UTF-8 become lone surrogates, which no parameter accepts."""
    if not query.isascii():
        query = query.encode("latin-1").decode(errors="surrogateescape")
    decode = _decode if "%" in query or "+" in query else str
    texts: Query = {}
    for part in query.split("&"):
        if part:
            name, _, text = part.partition("=")
            texts.setdefault(decode(name), []).append(decode(text))
    return texts


def _decode(text: str) -> str:
    return unquote(text.replace("+", " "), errors="surrogateescape")


class QueryLoader:
    """Loads a schema from the query; processes only the parameters that were sent.

    It calls the fields' `_deserialize` directly, because no parameter uses marshmallow's validators or hooks."""

    def __init__(self, schema: Args) -> None:
        self.schema = schema
        self.fields = {
            name_of(key, field): (key, field) for key, field in schema.load_fields.items()
        }
        self.required = {key: name for name, (key, field) in self.fields.items() if field.required}
        self.defaults = {
            key: field.load_default
            for key, field in self.fields.values()
            if field.load_default is not missing
        }
        assert not any(
            field.validators or field.pre_load or field.post_load
            for _, field in self.fields.values()
        )

    def __call__(self, query: Query) -> dict[str, Any]:
        """The values by their Python names.

        Reports unknown parameters first (if the schema rejects them), then missing ones, then invalid ones."""
        sent = self._without_aliases(query)
        if self.schema.only_known:
            self._reject_unknown(sent)
        values, errors = self._deserialize(sent)
        if errors or not self.required.keys() <= values.keys():
            self._reject_missing(values, errors)
            raise validation_error(self.schema, errors, sent)
        try:
            return self.schema.complete(values)
        except ValidationError as error:
            raise _error_of(self.schema, error, sent) from None

    def _deserialize(self, sent: Query) -> tuple[dict[str, Any], dict[str, Any]]:
        """The values by key and the error messages by name."""
        values, errors = dict(self.defaults), {}
        for name, texts in sent.items():
            if name not in self.fields:
                continue
            key, field = self.fields[name]
            try:
                repeatable = getattr(field, "repeatable", False)
                _check_text(texts, repeatable)
                values[key] = field._deserialize(texts if repeatable else texts[0], name, sent)
            except ValidationError as error:
                if not is_absent(field, texts):
                    errors[name] = error.messages
        return values, errors

    def _without_aliases(self, query: Query) -> Query:
        """The query with aliases replaced by the parameters' actual names, which win if both are sent."""
        aliases = self.schema.aliases
        if not aliases:
            return query
        own = {name: texts for name, texts in query.items() if name not in aliases}
        return {aliases[name]: query[name] for name in aliases if name in query} | own

    def _reject_unknown(self, sent: Query) -> None:
        for name in sent:
            if name not in self.fields:
                raise ApiError("unknown_parameter", name=name[:MAX_NAME])

    def _reject_missing(self, values: Mapping[str, Any], errors: Mapping[str, Any]) -> None:
        for key, name in self.required.items():
            if key not in values and name not in errors:
                raise ApiError("missing", name=name)


def _check_text(texts: Sequence[str], repeatable: bool) -> None:
    if len(texts) > 1 and not repeatable:
        raise invalid("repeated")
    if any(not text.isascii() and SURROGATES.search(text) for text in texts):
        raise invalid("bad_characters")


class BodyLoader:
    """Loads a schema from the JSON object in the body of a request."""

    def __init__(self, schema: Schema) -> None:
        self.schema = schema

    def __call__(self, request: Request) -> dict[str, Any]:
        """The values by their Python names; reports missing ones before invalid ones."""
        raw = json_object(request)
        for key, field in self.schema.load_fields.items():
            if field.required and name_of(key, field) not in raw:
                raise ApiError("missing", name=name_of(key, field))
        try:
            return cast(dict[str, Any], self.schema.load(raw))
        except ValidationError as error:
            raise _error_of(self.schema, error, raw) from None


def json_object(request: Request) -> dict[str, Any]:
    """The body as a JSON object."""
    try:
        raw = request.get_data(cache=True)
    except RequestEntityTooLarge:
        raise ApiError("too_large", high=request.max_content_length) from None
    limit = request.max_content_length
    if limit and request.content_length is None and len(raw) >= limit:
        raise ApiError(
            "too_large", high=limit
        )  # werkzeug ends a chunked body at the limit without an error
    if request.mimetype not in ("", JSON) and not request.is_json:
        raise ApiError("not_json")
    if request.mimetype_params.get("charset", "utf-8").lower() not in UTF_8:
        raise ApiError("not_utf8")
    if request.headers.get("Content-Encoding", "identity").strip().lower() != "identity":
        raise ApiError("encoded", headers={"Accept-Encoding": "identity"})
    try:
        value = json.loads(raw.decode("utf-8"), parse_constant=_no_constant)
    except (ValueError, RecursionError):
        raise ApiError("not_an_object") from None
    if not isinstance(value, dict):
        raise ApiError("not_an_object")
    return value


def _error_of(schema: Schema, error: ValidationError, sent: Mapping[str, Any]) -> ApiError:
    return validation_error(schema, cast(dict[str, Any], error.messages), sent)


def validation_error(
    schema: Schema, messages: Mapping[str, Any], sent: Mapping[str, Any]
) -> ApiError:
    """The error of the first invalid field in the order of declaration."""
    for key, field in schema.load_fields.items():
        name = name_of(key, field)
        if name in messages:
            first = messages[name][0] if isinstance(messages[name], list) else None
            other = "blank" if sent.get(name) is None else "bad_request"
            reason = first if isinstance(first, Reason) else Reason(other, {})
            swapped = reason.key == "out_of_range" and looks_swapped(field, name, sent)
            return ApiError("swapped" if swapped else reason.key, name=name, **reason.values)
    raise AssertionError(f"messages about no field: {messages}")


def _no_constant(name: str) -> object:
    raise ValueError(f"{name} is not JSON")
