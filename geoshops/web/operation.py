"""The REST frame: one decorator that states an operation's contract, answers, the OpenAPI document."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import wraps
from typing import Any, TypeVar, cast

from apispec.ext.marshmallow import MarshmallowPlugin
from apispec.ext.marshmallow.openapi import OpenAPIConverter
from flask import Flask, Request, Response, json, request
from flask_smorest import Api as SmorestApi
from flask_smorest import Blueprint as SmorestBlueprint
from marshmallow import Schema, fields
from werkzeug.exceptions import HTTPException
from werkzeug.routing import BaseConverter

from geoshops import __about__
from geoshops.geo import feature_collection_text
from geoshops.web import error_handlers, tokens
from geoshops.web.fields import TRUE_TEXTS, Args
from geoshops.web.negotiation import best_type
from geoshops.web.parsing import ContractParser, QueryLoader
from geoshops.web.reads import Read, Reading, asked

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


class Blueprint(SmorestBlueprint):  # type: ignore[misc]
    """A blueprint whose routes are operations of the contract."""

    ARGUMENTS_PARSER = ContractParser()

    def arguments(
        self, schema: type[Schema] | Schema, *, location: str = "json", **kwargs: Any
    ) -> Callable[[View], View]:
        """Loads the schema from the query or the body and passes the values to the view."""
        document = super().arguments(schema, location=location, **kwargs)
        pass_values = self.ARGUMENTS_PARSER.use_args(schema, location=location)

        def decorator(view: View) -> View:
            return cast(View, _with_document_of(document(view), pass_values(view)))

        return decorator

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
        json_only: str = "",
        media: str = JSON,
        also: tuple[str, ...] = (),
        statuses: tuple[int, ...] = (),
        refusals: tuple[int, ...] = (),
        headers: tuple[Mapping[str, object], ...] = (),
        response_headers: Mapping[str, object] | None = None,
        head: bool = True,
    ) -> Callable[[View], View]:
        """States an operation: route, OpenAPI operationId, answer, authentication, caching.

        auth: `none`, `optional` (the view gets `caller`, maybe None) or `required`.
        cache: `shared` (public unless a token came, always revalidated) or `none` (no-store).
        geojson: the client may ask for GeoJSON instead; `json_only` names the flag of the query that rules it out.
        media: content type of the answer where that is not JSON; `also` are other names of it.
        statuses: further success statuses with the same body, such as 201.
        refusals: statuses of refusals that not every operation has; 409 goes without saying where it acts.
        headers: OpenAPI parameters of the headers that it reads; response_headers: OpenAPI headers of its success.
        head: False where the contract lets GET act: HEAD, which must not, is refused then."""

        def decorator(view: View) -> View:
            produces = (media, GEOJSON) if geojson else (media, *also)
            contract = Contract(produces, cache, method, head, json_only)
            refused = (409, *refusals) if contract.acts else refusals
            documented = self._documented(
                _with_headers(view, headers), id, answer, example, auth, (status, *statuses), media, refused
            )  # fmt: skip
            if response_headers:
                told = {code: {"headers": response_headers} for code in (status, *statuses)}
                documented = self.doc(responses=told)(documented)
            if geojson:
                documented = self.doc(responses={200: GEOJSON_TOO})(documented)
            guarded = _with_document_of(documented, tokens.GUARDS[auth](view))
            guarded.contract = contract
            return cast(View, self.route(rule, methods=[method])(guarded))

        return decorator

    def _documented(
        self,
        view: Callable[..., Any],
        id: str,
        answer: Any,
        example: object,
        auth: str,
        statuses: tuple[int, ...],
        media: str,
        refusals: tuple[int, ...],
    ) -> Callable[..., Any]:
        always = (400, 406, 429, 503) if auth == "none" else (400, 401, 406, 429, 503)
        for code in (*refusals, *always, 404):
            view = self.alt_response(code, "ERROR")(view)
        for code in statuses:
            view = self.alt_response(
                code, schema=answer, content_type=media, example=example, success=True
            )(view)
        return cast(Callable[..., Any], self.doc(operationId=id, security=SECURITY[auth])(view))

    def reading(
        self, rule: str, *, query: type[Args], auth: str = "none", **stated: Any
    ) -> Callable[[Read], Read]:
        """States an operation that reads: as `operation`, and the function, which takes what was asked and the
        loaded query, is called without the framework where a request is plain."""

        load = QueryLoader(query())

        def decorator(read: Read) -> Read:
            @wraps(read)
            def view(**more: Any) -> Response:
                answer = read(asked(), load(), **more)
                if answer.shops and wants_geojson():
                    text = feature_collection_text(answer.body)
                    return json_text(text, answer.headers, mimetype=GEOJSON)
                return json_text(answer.body, answer.headers)

            documented = super(Blueprint, self).arguments(query, location="query")(view)
            guarded: Any = self.operation(rule, auth=auth, **stated)(
                _with_document_of(documented, view)
            )
            guarded.reading = Reading(read, load, auth, guarded.contract)
            return read

        return decorator


def _with_headers(view: Any, headers: tuple[Mapping[str, object], ...]) -> Any:
    """The view with these headers documented beside its arguments, which `doc` would replace."""
    if headers:
        view._apidoc["arguments"]["parameters"].extend(dict(header) for header in headers)
    return view


def _with_document_of(documented: Any, view: Any) -> Any:
    """The view without the calls that documenting wraps around it: eight of them a radius search."""
    view._apidoc = documented._apidoc
    return view


class Contract:
    """What the frame must know of an operation: representations, caching, whether HEAD is allowed, whether it acts."""

    def __init__(
        self, produces: tuple[str, ...], cache: str, method: str, head: bool, json_only: str
    ) -> None:
        self._produces, self.cache, self.head, self._json_only = produces, cache, head, json_only
        self.acts = method != "GET" or not head

    def produced(self, asked: Request) -> tuple[str, ...]:
        """The media types that a request may choose from."""
        if self._json_only and asked.args.get(self._json_only) in TRUE_TEXTS:
            return (JSON,)
        return self._produces


class OpenConverter(OpenAPIConverter):
    """Leaves objects open: an answer may gain a key, and generated clients must not break on it."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.add_parameter_attribute_function(_style_of)

    def schema2jsonschema(self, schema: Schema) -> dict[str, Any]:
        """The schema without `additionalProperties: false`."""
        found = dict(super().schema2jsonschema(schema))  # type: ignore[no-untyped-call]
        found.pop("additionalProperties", None)
        return found


def _style_of(_: OpenAPIConverter, field: fields.Field[Any], **__: object) -> dict[str, Any]:
    """How a query parameter is written, where its field states that."""
    return {key: field.metadata[key] for key in ("style", "explode") if key in field.metadata}


class OpenPlugin(MarshmallowPlugin):
    """apispec's plug-in for marshmallow with the converter above."""

    Converter = OpenConverter


class Rest(SmorestApi):  # type: ignore[misc]
    """flask-smorest with the contract's error body; the framework's own headers stay."""

    ERROR_SCHEMA = ErrorBody

    def _register_pagination_header(self) -> None:
        # pages are told by Link and X-Total-Count: its schema would stand in the document unused
        pass

    def handle_http_exception(self, error: HTTPException) -> Response:
        """Every HTTP error in the contract's form."""
        return error_handlers.of_http(error)


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
    rest = Rest(app, spec_kwargs={**options, "marshmallow_plugin": OpenPlugin()})
    rest.register_converter(Id, lambda _: {"type": "integer", "format": "int64", "minimum": 0})
    rest.spec.components.response(
        "ERROR", {"description": "Refused", "content": {JSON: {"schema": ErrorBody}}}
    )
    return rest


def json_text(
    body: str | bytes,
    headers: Mapping[str, str] | None = None,
    *,
    status: int = 200,
    mimetype: str = JSON,
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
    return accepted_type(JSON, GEOJSON) == GEOJSON


def accepted_type(*produced: str) -> str:
    """The one of these media types that the client likes best. That it takes one the frame has seen before."""
    return best_type(request.environ.get("HTTP_ACCEPT", ""), produced) or produced[0]


SECURITY: dict[str, list[dict[str, list[str]]]] = {
    "none": [],
    "optional": [{}, {"bearer": []}],
    "required": [{"bearer": []}],
}
GEOJSON_TOO = {
    "content": {
        GEOJSON: {"schema": {"type": "object", "description": "The same shops (RFC 7946)"}}
    },
    "headers": {
        name: {"description": meaning, "schema": {"type": "string"}}
        for name, meaning in (
            ("Link", "first, prev, next and last page (RFC 8288), when paged"),
            ("X-Total-Count", "All shops, exact to 10000, when paged"),
            ("X-Result-Truncated", "true when the list was cut"),
        )
    },
}
BEARER = {"type": "http", "scheme": "bearer", "bearerFormat": "JWT"}
ABOUT = "Photo-booth shops near a place or by name, their reviews, favorites and member titles."
