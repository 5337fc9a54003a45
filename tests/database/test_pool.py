"""Retries of statements: as often as documented, and only if that is safe."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, cast

import psycopg2
import pytest
from flask import Flask, Response
from flask.testing import FlaskClient

from geoshops.database.pool import ATTEMPTS, database
from tests.make import Maker

# a sequence is not rolled back, so it counts attempts
STUMBLING = """
CREATE FUNCTION stumbling(times integer, code text) RETURNS bigint LANGUAGE plpgsql SECURITY DEFINER AS $$
DECLARE
  call bigint := nextval('calls');
BEGIN
  IF call <= times THEN
    RAISE EXCEPTION 'call %', call USING ERRCODE = code;
  END IF;
  RETURN call;
END $$"""
FAILING_QUERY = "SELECT stumbling(%s, %s)"


@pytest.fixture(autouse=True)
def stumbling(db: Any) -> Iterator[None]:
    cursor = db.cursor()
    cursor.execute("CREATE SEQUENCE calls")
    cursor.execute(STUMBLING)
    yield
    cursor.execute("DROP FUNCTION stumbling")
    cursor.execute("DROP SEQUENCE calls")


@pytest.mark.parametrize("code", ["40001", "40P01", "42883", "XX000"])
@pytest.mark.parametrize("verb", ["row", "write"])
def test_conflicts_run_again_three_times_in_all(app: Flask, code: str, verb: str) -> None:
    with app.app_context():
        run = getattr(database(), verb)
        assert run(FAILING_QUERY, (ATTEMPTS - 1, code)) == (ATTEMPTS,)
        with pytest.raises(psycopg2.errors.lookup(code)):
            run(FAILING_QUERY, (3 * ATTEMPTS, code))


def test_other_errors_do_not_run_again(app: Flask, make: Maker) -> None:
    with app.app_context(), pytest.raises(psycopg2.errors.lookup("23505")):
        database().row(FAILING_QUERY, (100, "23505"))
    assert make.rows("SELECT last_value FROM calls") == [(1,)]


QUERY = ("/favorites", "GET")
WRITES = [("/favorites/1", "POST"), ("/member/nickname", "PATCH"), ("/member", "DELETE"), ("/auth/login/idp", "GET")]  # fmt: skip


def response_to(app: Flask, path: str, method: str, code: str) -> Response:
    """The response of an operation if the database returns this SQLSTATE in every attempt."""
    with app.test_request_context(path, method=method):
        with pytest.raises(psycopg2.Error) as caught:
            database().write(FAILING_QUERY, (100, code))
        assert caught.value.pgcode == code
        return cast(Response, app.handle_user_exception(caught.value))


@pytest.mark.parametrize(
    "code",
    ["08006", "25006", "53100", "53200", "53300", "55P03", "57014", "57P01", "58030"],
)
@pytest.mark.parametrize(("path", "method"), [QUERY, *WRITES])
def test_errors_of_the_server_become_503(app: Flask, path: str, method: str, code: str) -> None:
    response = response_to(app, path, method, code)
    assert (response.status_code, response.get_json()["error_code"]) == (503, "503")
    assert response.headers["Retry-After"].isdigit()


@pytest.mark.parametrize("code", ["40001", "40P01"])
@pytest.mark.parametrize(
    ("path", "method", "status"), [(*QUERY, 503), *((*write, 409) for write in WRITES)]
)
def test_a_conflict_that_stays_is_409_to_writes(
    app: Flask, path: str, method: str, status: int, code: str
) -> None:
    response = response_to(app, path, method, code)
    assert (response.status_code, response.get_json()["error_code"]) == (status, str(status))
    assert ("concurrent request" in response.get_json()["error_message"]) is (status == 409)
    assert response.headers["Retry-After"].isdigit()


def test_every_write_documents_the_conflict(client: FlaskClient) -> None:
    for path, item in client.get("/openapi.json").get_json()["paths"].items():
        for method, operation in item.items():
            if method != "parameters":
                writes = method != "get" or path in ("/auth/logout", "/auth/login/idp")
                # searches by shapes that are too large for a query string
                writes = writes and path not in ("/shops/within", "/shops/along")
                assert ("409" in operation["responses"]) is writes, (method, path)
