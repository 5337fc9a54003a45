"""The REST frame: one decorator that states an operation's contract, one parser, the OpenAPI document."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import wraps
from typing import Any, TypeVar, cast

from flask import Flask, Response, json, request
from flask_smorest import Api as SmorestApi
from flask_smorest import Blueprint as SmorestBlueprint
from marshmallow import Schema, ValidationError, fields
from werkzeug.exceptions import HTTPException, RequestEntityTooLarge
from werkzeug.routing import BaseConverter

from geoshops import __about__, errors, tokens
from geoshops.errors import ApiError, Reason
from geoshops.params import is_absent, looks_swapped, name_of

View = TypeVar("View", bound=Callable[..., Any])

GEOJSON = "application/geo+json"
JSON = "application/json"
MAX_BIGINT = 2**63 - 1


class ErrorBody(Schema):
    """Body of every error."""

    error_code = fields.String(required=True, metadata={"example": "002"})
    error_message = fields.String(
        required=True, metadata={"example": "[userLat] required parameter is missing"}
    )


class Id(BaseConverter):
    """An identifier in a path: ASCII digits; everything else is an unknown route.

    A number beyond bigint becomes one that no row has: refused here, it would be a 405 wherever
    another method has the same path."""

    regex = "[0-9]{1,40}"
    part_isolating = True

    def to_python(self, value: str) -> int:
        """The number; -1 when it is beyond bigint."""
        number = int(value)
        return number if number <= MAX_BIGINT else -1


class ContractParser:
    """Loads a schema from the query or the JSON body with the checks in the contract's order."""

    DEFAULT_VALIDATION_STATUS = 400

    def use_args(
        self, schema: type[Schema] | Schema, *, location: str = "json"
    ) -> Callable[[View], View]:
        """Passes the loaded values as the view's next positional argument."""
        loader = schema() if isinstance(schema, type) else schema
        source = _query if location == "query" else _body

        def decorator(view: View) -> View:
            @wraps(view)
            def wrapper(*args: Any, **kwargs: Any) -> Any:
                return view(*args, load(loader, source(loader)), **kwargs)

            return cast(View, wrapper)

        return decorator


def load(schema: Schema, raw: Mapping[str, object]) -> dict[str, Any]:
    """Loads `raw`; the first missing value is told before the first bad one."""
    for key, field in schema.load_fields.items():
        if field.required and name_of(key, field) not in raw:
            raise ApiError("missing", name=name_of(key, field))
    try:
        return cast(dict[str, Any], schema.load(raw))
    except ValidationError as error:
        raise _first_refusal(schema, cast(dict[str, Any], error.messages), raw) from None


def _first_refusal(
    schema: Schema, messages: Mapping[str, Any], raw: Mapping[str, object]
) -> ApiError:
    for key, field in schema.load_fields.items():
        name = name_of(key, field)
        if name in messages:
            found = messages[name][0] if isinstance(messages[name], list) else None
            other = "blank" if raw.get(name) is None else "bad_request"
            reason = found if isinstance(found, Reason) else Reason(other, {})
            swapped = reason.key == "out_of_range" and looks_swapped(field, name, raw)
            return ApiError("swapped" if swapped else reason.key, name=name, **reason.values)
    raise AssertionError(f"refusal of no field: {messages}")


def _query(schema: Schema) -> dict[str, object]:
    values: dict[str, object] = {}
    sent = request.args
    for key, field in schema.load_fields.items():
        name = name_of(key, field)
        texts = sent.getlist(name)
        if len(texts) > 1:
            values[name] = Repeated(texts)
        elif texts and not is_absent(field, texts[0]):
            values[name] = texts[0]
    repeated = [name for name, value in values.items() if isinstance(value, Repeated)]
    if repeated and not _missing(schema, values):
        raise ApiError("repeated", name=repeated[0])
    return values


class Repeated(list[str]):
    """The values of a parameter that was sent more than once."""


def _missing(schema: Schema, values: Mapping[str, object]) -> bool:
    return any(f.required and name_of(k, f) not in values for k, f in schema.load_fields.items())


def _body(schema: Schema) -> dict[str, object]:
    try:
        raw = request.get_data(cache=True)
    except RequestEntityTooLarge:
        raise ApiError("too_large", high=request.max_content_length) from None
    if request.mimetype not in ("", JSON) and not request.is_json:
        raise ApiError("not_json")
    try:
        value = json.loads(raw.decode("utf-8"), parse_constant=_no_constant)
    except (ValueError, RecursionError):
        raise ApiError("not_an_object") from None
    if not isinstance(value, dict) or not value:
        raise ApiError("not_an_object")
    return value


def _no_constant(name: str) -> object:
    raise ValueError(f"{name} is not JSON")


class Blueprint(SmorestBlueprint):  # type: ignore[misc]
    """A blueprint whose routes are operations of the contract."""

    ARGUMENTS_PARSER = ContractParser()

    def arguments(
        self, schema: type[Schema] | Schema, *, location: str = "json", **kwargs: Any
    ) -> Callable[[View], View]:
        """Loads the schema from the query or the body and passes the values to the view."""
        return cast(Callable[[View], View], super().arguments(schema, location=location, **kwargs))

    def operation(
        self,
        rule: str,
        *,
        id: str,
        method: str = "GET",
        answer: Schema | type[Schema] | Mapping[str, object],
        example: object = None,
        status: int = 200,
        auth: str = "none",
        cache: str = "shared",
        geojson: bool = False,
        statuses: tuple[int, ...] = (),
        refusals: tuple[int, ...] = (),
        headers: tuple[Mapping[str, object], ...] = (),
    ) -> Callable[[View], View]:
        """States an operation: route, OpenAPI operationId, answer, authentication, caching.

        auth: `none`, `optional` (the view gets `caller`, maybe None) or `required`.
        cache: `shared` (public unless a token came, always revalidated) or `none` (no-store).
        statuses: further success statuses with the same body, such as 201.
        refusals: statuses of refusals that not every operation has.
        headers: OpenAPI parameters of the headers that it reads."""

        def decorator(view: View) -> View:
            produces = (JSON, GEOJSON) if geojson else (JSON,)
            refused = self.doc(parameters=list(headers))(view) if headers else view
            for code in refusals:
                refused = self.alt_response(code, "ERROR")(refused)
            documented = self._documented(refused, id, answer, example, status, auth, statuses)
            guarded = tokens.GUARDS[auth](documented)
            guarded.contract = Contract(produces, cache)
            return cast(View, self.route(rule, methods=[method])(guarded))

        return decorator

    def _documented(
        self,
        view: Callable[..., Any],
        id: str,
        answer: Any,
        example: object,
        status: int,
        auth: str,
        statuses: tuple[int, ...],
    ) -> Callable[..., Any]:
        refusals = (400, 406, 429, 503) if auth == "none" else (400, 401, 406, 429, 503)
        for code in (*refusals, 404):
            view = self.alt_response(code, "ERROR")(view)
        for code in (status, *statuses):
            view = self.alt_response(code, schema=answer, example=example, success=True)(view)
        return cast(Callable[..., Any], self.doc(operationId=id, security=SECURITY[auth])(view))


class Contract:
    """What the frame must know of an operation: its representations and how it may be cached."""

    def __init__(self, produces: tuple[str, ...], cache: str) -> None:
        self.produces, self.cache = produces, cache


class Rest(SmorestApi):  # type: ignore[misc]
    """flask-smorest with the contract's error body; the framework's own headers stay."""

    ERROR_SCHEMA = ErrorBody

    def handle_http_exception(self, error: HTTPException) -> Response:
        """Every HTTP error in the contract's form."""
        return errors.of_http(error)


def init_app(app: Flask) -> Rest:
    """The REST frame of the application; features register their blueprints with it."""
    app.url_map.converters["id"] = Id
    app.config.update(
        API_TITLE="geoshops",
        API_VERSION=__about__.VERSION,
        OPENAPI_VERSION="3.1.0",
        OPENAPI_URL_PREFIX="/",
        OPENAPI_JSON_PATH="openapi.json",
    )
    options = {
        "components": {"securitySchemes": {"bearer": BEARER}},
        "info": {"description": ABOUT},
    }
    rest = Rest(app, spec_kwargs=options)
    rest.register_converter(Id, lambda _: {"type": "integer", "format": "int64", "minimum": 0})
    rest.spec.components.response(
        "ERROR", {"description": "Refused", "content": {JSON: {"schema": ErrorBody}}}
    )
    return rest


def json_text(
    body: str, headers: Mapping[str, str] | None = None, *, status: int = 200, mimetype: str = JSON
) -> Response:
    """An answer whose JSON PostgreSQL has built."""
    response = Response(body, status=status, mimetype=mimetype)
    if headers:
        response.headers.update(headers)
    return response


def json_value(
    value: object, headers: Mapping[str, str] | None = None, *, status: int = 200
) -> Response:
    """An answer from a Python value; Korean as itself."""
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    return json_text(text, headers, status=status)


def wants_geojson() -> bool:
    """True when the client prefers GeoJSON."""
    accept = request.headers.get("Accept", "")
    if GEOJSON not in accept:
        return False
    return request.accept_mimetypes.best_match((JSON, GEOJSON)) == GEOJSON


SECURITY: dict[str, list[dict[str, list[str]]]] = {
    "none": [],
    "optional": [{}, {"bearer": []}],
    "required": [{"bearer": []}],
}
BEARER = {"type": "http", "scheme": "bearer", "bearerFormat": "JWT"}
ABOUT = "Photo-booth shops near a place or by name, their reviews, favorites and member titles."
