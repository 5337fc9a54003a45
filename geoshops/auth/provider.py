"""Client of an identity provider: authorize_url, exchange_code, fetch_profile, and unlink for members who leave."""

from __future__ import annotations

import base64
import hashlib
import re
import threading
import time
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote, urlencode, urlsplit

import jwt

from geoshops.auth import id_token
from geoshops.auth.outbound import Calls, ProviderFailed, ProviderResponse
from geoshops.auth.presets import Client, Preset
from geoshops.errors import ApiError
from geoshops.web.fields import BAD_CHARACTERS, is_blank

METADATA_LIVES_S = 3600
APPLE_SECRET_LIVES_S = 300
CODE_ERRORS = ("invalid_grant",)
# RFC 7636 defines no error code for a wrong verifier; only the description identifies it
VERIFIER_ERRORS = ("invalid_grant", "invalid_request")
ABOUT_VERIFIER = re.compile(r"code.?verifier|pkce", re.IGNORECASE)
MAX_SUBJECT = 255
MAX_TOKEN = 4096
KAKAO_NOT_LINKED = -101
AUTH_METHODS, FORM_AUTH = "token_endpoint_auth_methods_supported", "client_secret_post"
METADATA = {
    "authorize_url": "authorization_endpoint",
    "token_url": "token_endpoint",
    "jwks_url": "jwks_uri",
    "profile_url": "userinfo_endpoint",
    "unlink_url": "revocation_endpoint",
}


@dataclass(frozen=True)
class Grant:
    """The provider's response to an authorization code."""

    access_token: str
    refresh_token: str | None
    claims: Mapping[str, Any] | None


@dataclass(frozen=True)
class Identity:
    """Issuer and subject of a user, the suggested nickname, and the token for unlinking."""

    provider: str
    issuer: str
    subject: str
    nickname: str | None
    unlink_token: str | None


class Provider:
    """One configured provider."""

    def __init__(self, name: str, client: Client, preset: Preset) -> None:
        self.name, self.client, self.preset = name, client, preset
        self.issuer = (client.issuer or preset.issuer).strip()
        self.scopes = client.scope.split() or list(preset.scopes)
        self.keys = id_token.Keys()
        self.lock = threading.Lock()
        self.metadata: dict[str, str] = {}
        self.secret_in_header = False
        self.read_at = float("-inf")

    def authorize_url(
        self, calls: Calls, *, redirect_uri: str, state: str, nonce: str, code_verifier: str
    ) -> str:
        """The URL at which the browser signs in."""
        query = {
            "response_type": "code",
            "client_id": self.client.client_id,
            "redirect_uri": redirect_uri,
            "state": state,
            **self.preset.authorize_extras,
        }
        if self.scopes:
            query["scope"] = self.preset.scope_separator.join(self.scopes)
        if "openid" in self.scopes:
            query["nonce"] = nonce
        if self.preset.pkce:
            digest = hashlib.sha256(code_verifier.encode()).digest()
            challenge = base64.urlsafe_b64encode(digest).rstrip(b"=").decode()
            query |= {"code_challenge": challenge, "code_challenge_method": "S256"}
        address = self.client.authorize_url or self.endpoint(calls, "authorize_url")
        return f"{address}{'&' if '?' in address else '?'}{urlencode(query, quote_via=quote)}"

    def exchange_code(
        self,
        calls: Calls,
        *,
        code: str,
        redirect_uri: str,
        code_verifier: str | None,
        state: str | None,
        nonce: str | None,
    ) -> Grant:
        """Exchanges an authorization code for tokens; raises ApiError (105) if the provider rejects the code or verifier."""
        form = {"grant_type": "authorization_code", "code": code, "redirect_uri": redirect_uri}
        if code_verifier is not None:
            form["code_verifier"] = code_verifier
        if self.preset.state_in_token:
            form["state"] = state or ""
        body = self._token(calls, form)
        return Grant(
            _text(body.get("access_token"), "access_token"),
            _text(body["refresh_token"], "refresh_token") if body.get("refresh_token") else None,
            self._claims(calls, body.get("id_token"), nonce),
        )

    def fetch_profile(self, calls: Calls, grant: Grant) -> Identity:
        """The identity; the profile's subject must equal that of the id_token."""
        claims = grant.claims or {}
        url = self.endpoint(calls, "profile_url", optional=True)
        profile = self._profile(calls, url, grant.access_token) if url else {}
        subjects = {_subject(claims["sub"])} if claims else set()
        if url:
            subjects.add(_subject(_at(profile, self.preset.profile_subject)))
        if len(subjects) != 1:
            raise ProviderFailed("id_token and profile have different subjects")
        names = (
            _at(source, path)
            for path in self.preset.profile_nicknames
            for source in (profile, claims)
        )
        nickname = next((name for name in names if isinstance(name, str) and name), None)
        return Identity(self.name, self.issuer, subjects.pop(), nickname, grant.refresh_token)

    @property
    def unlinks_by_token(self) -> bool:
        """Whether unlinking needs a token; with some providers the subject is enough."""
        return self.preset.unlink != "kakao"

    def unlink(self, calls: Calls, *, subject: str, token: str | None) -> None:
        """Unlinks the member at the provider; succeeds if already unlinked. Raises ProviderFailed."""
        if self.preset.unlink == "kakao":
            self._unlink_kakao(calls, subject)
        elif token and self.preset.unlink == "naver":
            self._unlink_naver(calls, token)
        elif token:
            self._revoke(calls, token)

    def endpoint(self, calls: Calls, name: str, *, optional: bool = False) -> str:
        """The URL of an endpoint, from the settings, the preset or the provider's metadata."""
        known = self.client.endpoints.get(name, getattr(self.preset, name))
        if known or name in self.client.endpoints or not self.preset.discovers:
            return str(known)
        url = self._discovered(calls).get(METADATA[name], "")
        if not url and not optional:
            raise ProviderFailed(f"no {METADATA[name]} in the metadata")
        return url

    def _discovered(self, calls: Calls) -> dict[str, str]:
        with self.lock:
            if time.monotonic() - self.read_at > METADATA_LIVES_S:
                base = self.issuer.rstrip("/")
                url = self.client.discovery_url or f"{base}/.well-known/openid-configuration"
                document = calls.get(url).body
                if document.get("issuer") != self.issuer:
                    raise ProviderFailed("the metadata's issuer differs from the configured one")
                self.metadata = {k: v for k in METADATA.values() if (v := self._url(document, k))}
                self.secret_in_header = FORM_AUTH not in _list(document, AUTH_METHODS)
                self.read_at = time.monotonic()
            return self.metadata

    def _url(self, document: Mapping[str, Any], key: str) -> str:
        value = document.get(key, "")
        schemes = ("https",) if self.issuer.startswith("https:") else ("https", "http")
        if value and (not isinstance(value, str) or urlsplit(value).scheme not in schemes):
            raise ProviderFailed(f"{key} is not a valid URL")
        return str(value)

    def _token(self, calls: Calls, form: dict[str, str]) -> dict[str, Any]:
        url = self.endpoint(calls, "token_url")
        response = self._post(calls, url, form)
        error = response.body.get("error") or response.body.get("error_code")
        if response.status == 200 and not error:
            return response.body
        codes = (response.body.get("error"), response.body.get("error_code"))
        description = response.body.get("error_description")
        is_client_error = description in self.preset.client_errors
        if response.body.get("error") in VERIFIER_ERRORS and _is_about_verifier(description):
            raise ApiError("verifier_rejected")
        if not is_client_error and any(
            reason in (*CODE_ERRORS, *self.preset.code_errors) for reason in codes
        ):
            raise ApiError("code_rejected")
        raise ProviderFailed(f"token endpoint: status {response.status}, {_loggable(error)}")

    def _post(
        self, calls: Calls, url: str, form: dict[str, str], *, wants_json: bool = True
    ) -> ProviderResponse:
        client_id, secret = self.client.client_id, self.client.client_secret
        if self.preset.client_secret == "es256":
            secret = self._signed_secret()
        if secret and self.secret_in_header:
            pair = f"{quote(client_id, safe='')}:{quote(secret, safe='')}".encode()
            basic = f"Basic {base64.b64encode(pair).decode()}"
            return calls.post(url, form, authorization=basic, wants_json=wants_json)
        credentials = {"client_id": client_id, **({"client_secret": secret} if secret else {})}
        return calls.post(url, {**form, **credentials}, wants_json=wants_json)

    def _signed_secret(self) -> str:
        now = int(time.time())
        claims = {
            "iss": self.client.team_id,
            "sub": self.client.client_id,
            "aud": self.issuer,
            "iat": now,
            "exp": now + APPLE_SECRET_LIVES_S,
        }
        header = {"kid": self.client.key_id}
        return jwt.encode(claims, self.client.client_secret, algorithm="ES256", headers=header)

    def _claims(self, calls: Calls, token: object, nonce: str | None) -> dict[str, Any] | None:
        if "openid" not in self.scopes:
            return None
        return id_token.verified(
            token,
            calls=calls,
            keys=self.keys,
            keys_url=self.endpoint(calls, "jwks_url"),
            issuers=(self.issuer, *self.preset.other_issuers),
            client_id=self.client.client_id,
            nonce=nonce,
        )

    def _profile(self, calls: Calls, url: str, access_token: str) -> dict[str, Any]:
        response = calls.get(url, bearer=access_token)
        ok = all(response.body.get(key) == value for key, value in self.preset.profile_ok.items())
        if response.status != 200 or not ok:
            raise ProviderFailed(f"profile: status {response.status}")
        return response.body

    def _unlink_kakao(self, calls: Calls, subject: str) -> None:
        if not self.client.admin_key:
            raise ProviderFailed("GEOSHOPS_IDP_ADMIN_KEY is not set")
        form = {"target_id_type": "user_id", "target_id": subject}
        key = f"KakaoAK {self.client.admin_key}"
        response = calls.post(self.endpoint(calls, "unlink_url"), form, authorization=key)
        if response.status != 200 and response.body.get("code") != KAKAO_NOT_LINKED:
            raise ProviderFailed(f"unlink: {_loggable(response.body.get('code'))}")

    def _unlink_naver(self, calls: Calls, token: str) -> None:
        try:
            fresh = self._token(calls, {"grant_type": "refresh_token", "refresh_token": token})
        except ApiError:
            return  # the refresh token is invalid: the user has already unlinked the service at the provider
        access_token = _text(fresh.get("access_token"), "access_token")
        form = {"grant_type": "delete", "access_token": access_token, "service_provider": "NAVER"}
        self._token(calls, form)

    def _revoke(self, calls: Calls, token: str) -> None:
        url = self.endpoint(calls, "unlink_url", optional=True)
        if not url:
            return
        form = {"token": token, "token_type_hint": "refresh_token"}
        response = self._post(calls, url, form, wants_json=False)
        error = response.body.get("error")
        # By RFC 7009 an invalid token gets 200; after other errors, such as invalid_client, nothing was revoked.
        gone = response.status == 400 and error in self.preset.gone_errors
        if response.status not in (200, 204) and not gone:
            raise ProviderFailed(f"revocation: status {response.status}, {_loggable(error)}")


def _list(document: Mapping[str, Any], key: str) -> list[Any]:
    value = document.get(key)
    return value if isinstance(value, list) else []


def _at(source: Any, path: tuple[str, ...]) -> Any:
    for key in path:
        source = source.get(key) if isinstance(source, Mapping) else None
    return source


def _is_about_verifier(description: object) -> bool:
    return isinstance(description, str) and ABOUT_VERIFIER.search(description) is not None


def _subject(value: Any) -> str:
    text = str(value) if type(value) is int else value
    if (
        not isinstance(text, str)
        or is_blank(text)
        or len(text) > MAX_SUBJECT
        or BAD_CHARACTERS.search(text)
    ):
        raise ProviderFailed("no usable subject")
    return text


def _text(value: Any, name: str) -> str:
    if not isinstance(value, str) or not 0 < len(value) <= MAX_TOKEN or not value.isascii():
        raise ProviderFailed(f"{name}: missing or invalid")
    return value


def _loggable(value: Any) -> str:
    return "".join(c for c in str(value)[:40] if c.isalnum() or c in "_- ")
