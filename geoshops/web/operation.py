"""Declares operations: routes, contracts and the OpenAPI document."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import wraps
from typing import Any, TypeVar, cast

from apispec.ext.marshmallow import MarshmallowPlugin
from apispec.ext.marshmallow.openapi import OpenAPIConverter
from flask import Flask
from flask_smorest import Api as SmorestApi
from flask_smorest import Blueprint as SmorestBlueprint
from flask_smorest.spec import FlaskPlugin
from marshmallow import Schema, fields
from werkzeug.routing import BaseConverter, Rule

from geoshops import __about__
from geoshops.database.statements import MAX_BIGINT
from geoshops.geo import feature_collection
from geoshops.web.authentication import guard
from geoshops.web.contract import Contract
from geoshops.web.examples import PATH, example_of, example_of_parameter
from geoshops.web.fields import Args
from geoshops.web.paging import MAX_DEPTH
from geoshops.web.parsing import BodyLoader, ContractParser, QueryLoader
from geoshops.web.rate_limits import READS, WRITES, RateLimit
from geoshops.web.reads import Read, ReadOperation
from geoshops.web.response import GEOJSON, JSON, Response

View = TypeVar("View", bound=Callable[..., Any])


class ErrorBody(Schema):
    """Body of every error."""

    error_code = fields.String(required=True, metadata={"example": "002"})
    error_message = fields.String(
        required=True, metadata={"example": "[userLat] required parameter is missing"}
    )


class Id(BaseConverter):
    """An identifier in a path: ASCII digits; anything else is an unknown route.

    A number beyond bigint becomes -1, which no row has. Rejected here, it would result in 405 where another
    method has the same path."""

    regex = "[0-9]{1,40}"
    part_isolating = True

    def to_python(self, value: str) -> int:
        """The number; -1 if it is beyond bigint."""
        number = int(value)
        return number if number <= MAX_BIGINT else -1


class Blueprint(SmorestBlueprint):  # type: ignore[misc]
    """A blueprint whose routes are operations of the contract."""

    ARGUMENTS_PARSER = ContractParser()

    def arguments(
        self, schema: type[Schema] | Schema, *, location: str = "json", **kwargs: Any
    ) -> Callable[[View], View]:
        """Loads the schema from the query or the body and passes the values to the view."""
        if location == "json":
            kwargs["example"] = example_of(schema)
        document = super().arguments(schema, location=location, **kwargs)
        pass_values = self.ARGUMENTS_PARSER.use_args(schema, location=location)

        def decorator(view: View) -> View:
            return cast(View, _with_document_of(document(view), pass_values(view)))

        return decorator

    def operation(
        self,
        rule: str,
        *,
        method: str = "GET",
        auth: str = "none",
        head: bool = True,
        **stated: Any,
    ) -> Callable[[View], View]:
        """Declares an operation that Flask serves: a command, or a read that needs Flask.

        head: False if a GET is a command: then HEAD, which must not write, is rejected.
        The other arguments are those of `_declare`."""

        def decorator(view: View) -> View:
            is_command = method != "GET" or not head
            declared = self._declare(view, auth=auth, is_command=is_command, **stated)
            guarded: Any = _with_document_of(declared, guard(auth, view))
            guarded.contract = declared.contract
            return cast(View, self.route(rule, methods=[method])(guarded))

        return decorator

    def read(
        self,
        rule: str,
        *,
        query: type[Args] | None = None,
        body: type[Schema] | None = None,
        auth: str = "none",
        **stated: Any,
    ) -> Callable[[Read], Read]:
        """Declares a read operation, which the fast path serves: a GET, or with a body a POST.

        query, body: the schemas of its parameters and its body, if any. The function gets the request's context, the
        loaded parameters, the loaded body, the identifiers of the path and, unless auth is `none`, `caller`."""

        def decorator(read: Read) -> Read:
            described: Any = read
            document = super(Blueprint, self).arguments
            if body:
                described = document(body, location="json", example=example_of(body))(described)
            if query:
                described = document(query, location="query")(described)
            declared = self._declare(described, auth=auth, is_command=False, **stated)

            @wraps(read)
            def view(**_: Any) -> Response:
                raise AssertionError("the fast path serves read operations before Flask does")

            routed: Any = _with_document_of(declared, view)
            routed.contract = declared.contract
            load = QueryLoader(query()) if query else None
            load_body = BodyLoader(body()) if body else None
            routed.read_operation = ReadOperation(read, load, load_body, auth, routed.contract)
            self.route(rule, methods=["POST" if body else "GET"])(routed)
            return read

        return decorator

    def _declare(
        self,
        view: Callable[..., Any],
        *,
        is_command: bool,
        auth: str,
        cache: str = "shared",
        geojson: bool = False,
        json_only: str = "",
        media: str = JSON,
        also: tuple[str, ...] = (),
        errors: tuple[int, ...] = (),
        max_body_bytes: int = 0,
        limit: RateLimit | None = None,
        **described: Any,
    ) -> Any:
        """The view with its contract and its entry in the OpenAPI document.

        auth: `none`, `optional` (`caller` may be None) or `required`.
        cache: `shared` (public unless a token was sent, always revalidated) or `none` (no-store).
        geojson: the client may choose GeoJSON, unless the query flag with the name in `json_only` is set.
        media: the media type if it is not JSON; `also`: other media types that clients may choose.
        errors: error statuses besides the general ones; 409 is implied for commands.
        max_body_bytes: the maximum size of a body, if above the general limit.
        limit: the operation's rate limit; the general one of commands or reads if omitted.
        The other arguments are those of `_documented`."""
        errors = (409, *errors) if is_command else errors
        documented = self._documented(view, auth=auth, media=media, errors=errors, **described)
        if geojson:
            shops = _geojson_response(described["response"])
            documented = self.doc(responses={200: shops})(documented)
        media_types = (media, GEOJSON) if geojson else (media, *also)
        limit = limit or (WRITES if is_command else READS)
        documented.contract = Contract(
            media_types, cache, is_command, limit, json_only, max_body_bytes
        )
        return documented

    def _documented(
        self,
        view: Callable[..., Any],
        *,
        id: str,
        response: Schema | type[Schema] | Mapping[str, object],
        auth: str,
        media: str,
        errors: tuple[int, ...],
        example: object = None,
        status: int = 200,
        statuses: tuple[int, ...] = (),
        headers: tuple[Mapping[str, object], ...] = (),
        response_headers: Mapping[str, object] | None = None,
    ) -> Any:
        """The view with its entry in the OpenAPI document.

        id: the OpenAPI operationId; response: the schema of its body.
        example: the body's example, if it is not composed of the fields' examples.
        statuses: other success statuses with the same body, such as 201.
        headers: OpenAPI parameters of the request headers; response_headers: OpenAPI headers of the response."""
        view = _with_headers(view, headers)
        always = (400, 406, 429, 503) if auth == "none" else (400, 401, 406, 429, 503)
        for code in (*errors, *always, 404):
            view = self.alt_response(code, "ERROR")(view)
        if example is None and not isinstance(response, Mapping):
            example = example_of(response)
        for code in (status, *statuses):
            view = self.alt_response(
                code, schema=response, content_type=media, example=example, success=True
            )(view)
        view = self.doc(operationId=id, security=SECURITY[auth])(view)
        if response_headers:
            with_headers = {code: {"headers": response_headers} for code in (status, *statuses)}
            view = self.doc(responses=with_headers)(view)
        return view


def _with_headers(view: Any, headers: tuple[Mapping[str, object], ...]) -> Any:
    """Documents request headers in addition to the view's arguments, which `doc` would replace."""
    if headers:
        view._apidoc["arguments"]["parameters"].extend(dict(header) for header in headers)
    return view


def _geojson_response(shops: Any) -> dict[str, object]:
    """Documents the GeoJSON representation of a list of shops, and the headers of lists."""
    schema = {"type": "object", "description": "The same shops (RFC 7946)"}
    example = feature_collection(example_of(shops))
    return {
        "content": {GEOJSON: {"schema": schema, "example": example}},
        "headers": LIST_HEADERS,
    }


def _with_document_of(documented: Any, view: Any) -> Any:
    """Copies the documentation to the plain view, without the wrappers that documenting adds."""
    view._apidoc = documented._apidoc
    return view


class OpenConverter(OpenAPIConverter):
    """Allows additional properties, so that generated clients accept keys that are added to responses later."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.add_parameter_attribute_function(_style_of)
        self.add_parameter_attribute_function(_example_of)

    def schema2jsonschema(self, schema: Schema) -> dict[str, Any]:
        """The schema without `additionalProperties: false`."""
        described = dict(super().schema2jsonschema(schema))  # type: ignore[no-untyped-call]
        described.pop("additionalProperties", None)
        return described


def _style_of(_: OpenAPIConverter, field: fields.Field[Any], **__: object) -> dict[str, Any]:
    """The style of a query parameter, if its field defines one."""
    return {key: field.metadata[key] for key in ("style", "explode") if key in field.metadata}


def _example_of(_: OpenAPIConverter, field: fields.Field[Any], **__: object) -> dict[str, Any]:
    """The example of a query parameter whose schema has none."""
    return {} if "example" in field.metadata else {"example": example_of_parameter(field)}


class OpenPlugin(MarshmallowPlugin):
    """apispec's plug-in for marshmallow with the converter above."""

    Converter = OpenConverter


class PathPlugin(FlaskPlugin):  # type: ignore[misc]
    """flask-smorest's plug-in for paths, with examples of path parameters."""

    def rule_to_params(self, rule: Rule) -> list[dict[str, Any]]:
        """The path parameters of a rule as OpenAPI parameters."""
        parameters = super().rule_to_params(rule)
        return [{**p, "example": PATH[p["name"]]} if p["name"] in PATH else p for p in parameters]


class OpenApi(SmorestApi):  # type: ignore[misc]
    """flask-smorest with the contract's error body."""

    ERROR_SCHEMA = ErrorBody

    def _register_pagination_header(self) -> None:
        # pages use Link and X-Total-Count; its schema would be unused
        pass

    def _register_error_handlers(self) -> None:
        # service.py handles all exceptions
        pass


def init_app(app: Flask) -> OpenApi:
    """The OpenAPI document of the application; features register their blueprints with it."""
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
        # relative to the URL of the document, so that it works under any host name
        "servers": [{"url": "/"}],
    }
    plugins = {"flask_plugin": PathPlugin(), "marshmallow_plugin": OpenPlugin()}
    api = OpenApi(app, spec_kwargs={**options, **plugins})
    api.register_converter(Id, lambda _: {"type": "integer", "format": "int64", "minimum": 0})
    api.spec.components.response(
        "ERROR", {"description": "Error", "content": {JSON: {"schema": ErrorBody}}}
    )
    return api


SECURITY: dict[str, list[dict[str, list[str]]]] = {
    "none": [],
    "optional": [{}, {"bearer": []}],
    "required": [{"bearer": []}],
}
LIST_HEADERS = {
    name: {"description": meaning, "schema": {"type": "string"}}
    for name, meaning in (
        ("Link", "first, prev, next and last page (RFC 8288), if paged"),
        ("X-Total-Count", f"Total number of shops, exact up to {MAX_DEPTH}, if paged"),
        ("X-Total-Count-Capped", "true if there are more shops than X-Total-Count, if paged"),
        ("X-Result-Truncated", "true if the list was truncated"),
        ("X-Ignored-Words", "Ignored words of the keyword, percent-encoded"),
    )
}
BEARER = {"type": "http", "scheme": "bearer", "bearerFormat": "JWT"}
ABOUT = """\
Photo-booth shops near a place or by name, their reviews, favorites and member titles.

## Getting started
- Shops around a place: `GET /shops/brand?userLat=37.4979&userLng=127.0276&mapLat=37.4979&mapLng=127.0276&radius=1000`
- Shops by name, brand, station or region: `GET /shops?keyword=강남역&userLat=37.4979&userLng=127.0276`
- Names and addresses in another language: add `lang=en`, `ja`, `zh-Hans` or `zh-Hant`.
- Send `Authorization: Bearer …` with the access token of `GET /auth/login/idp` in members' requests; paste it at
  **Authorize** to try them here. `GET /auth/authorize` starts the sign-in, `POST /auth/token` renews the token.
- An error has an `error_code`, which is stable, and an `error_message` in the language of `Accept-Language`.

## 시작하기
- 위치 주변의 지점: `GET /shops/brand?userLat=37.4979&userLng=127.0276&mapLat=37.4979&mapLng=127.0276&radius=1000`
- 이름, 브랜드, 역, 지역으로 찾기: `GET /shops?keyword=강남역&userLat=37.4979&userLng=127.0276`
- 다른 언어의 이름과 주소: `lang=en`, `ja`, `zh-Hans`, `zh-Hant`를 붙이세요.
- 회원 요청에는 `GET /auth/login/idp`에서 받은 액세스 토큰을 `Authorization: Bearer …`로 보내세요. **Authorize**에 붙여 넣으면
  여기서 바로 시험할 수 있어요. 로그인은 `GET /auth/authorize`로 시작하고, 토큰은 `POST /auth/token`으로 갱신해요.
- 오류에는 바뀌지 않는 `error_code`와 `Accept-Language`에 맞춘 언어의 `error_message`가 있어요."""
