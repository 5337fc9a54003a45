"""`geoshops moderate`: work through reports, hide and show reviews; the audit log records every command."""

from __future__ import annotations

import json
from typing import Any

import click
from flask.cli import with_appcontext

from geoshops.operations.audit import operator
from geoshops.operations.commands import AT_MOST, ID, JSON, REASON, failing_clearly
from geoshops.operations.connection import operator_database
from geoshops.reports import queries
from geoshops.web.request import settings

LENGTH = click.option("--at-most", default=50, show_default=True, type=AT_MOST)


@click.group()
def moderate() -> None:
    """Reports by members, hidden reviews, the audit log."""


@moderate.command("list")
@click.option("--kind", type=click.Choice(["review", "shop"]), help="Only reports of this kind.")
@click.option("--all", "closed_too", is_flag=True, help="Include closed reports.")
@LENGTH
@JSON
@with_appcontext
@failing_clearly
def list_(kind: str | None, closed_too: bool, at_most: int, as_json: bool) -> None:
    """List open reports, oldest first."""
    reports = queries.listed(operator_database(), kind=kind, closed_too=closed_too, at_most=at_most)
    if as_json:
        click.echo(json.dumps(reports, ensure_ascii=False))
        return
    for report in reports:
        click.echo(_line(report))
    click.echo(f"{len(reports)} reports", err=True)


@moderate.command()
@click.argument("review_id", type=ID)
@REASON
@with_appcontext
@failing_clearly
def hide(review_id: int, reason: str) -> None:
    """Hide a review and close its reports as upheld.

    It no longer counts in lists, counters, average and histogram; titles that it earned stay."""
    actor = operator()
    outcome = queries.hide(operator_database(), review_id, actor=actor, reason=reason)
    _report_outcome(review_id, outcome)


@moderate.command()
@click.argument("review_id", type=ID)
@REASON
@with_appcontext
@failing_clearly
def show(review_id: int, reason: str) -> None:
    """Show a hidden review again."""
    actor, zone = operator(), settings().timezone
    db = operator_database()
    outcome = queries.show(db, review_id, actor=actor, reason=reason, zone=zone)
    _report_outcome(review_id, outcome)


@moderate.command()
@click.argument("report_ids", type=ID, nargs=-1, required=True)
@REASON
@with_appcontext
@failing_clearly
def uphold(report_ids: tuple[int, ...], reason: str) -> None:
    """Close reports as justified, for example after correcting the shop."""
    _settle(report_ids, "UPHELD", reason)


@moderate.command()
@click.argument("report_ids", type=ID, nargs=-1, required=True)
@REASON
@with_appcontext
@failing_clearly
def dismiss(report_ids: tuple[int, ...], reason: str) -> None:
    """Close reports as unjustified."""
    _settle(report_ids, "DISMISSED", reason)


@moderate.command()
@LENGTH
@JSON
@with_appcontext
@failing_clearly
def log(at_most: int, as_json: bool) -> None:
    """Print the audit log, newest first: changes by operators, with actor and reason."""
    entries = queries.log(operator_database(), at_most=at_most)
    if as_json:
        click.echo(json.dumps(entries, ensure_ascii=False))
        return
    for entry in entries:
        thing = f"{entry['subject']} {entry['subject_id'] or ''}".strip()
        click.echo(
            f"{entry['happened_at']} {entry['actor']} {entry['action']} {thing}: {entry['reason']}"
        )


def _line(report: dict[str, Any]) -> str:
    thing = f"review {report['review_id']} of " if report["review_id"] else ""
    words = f" {json.dumps(report['content'], ensure_ascii=False)}" if report["content"] else ""
    about = ""
    if report["review_id"]:
        said = json.dumps(report["review_content"][:200], ensure_ascii=False)
        hidden = ", hidden" if report["hidden"] else ""
        about = f" | {report['star_rating']} stars by member {report['author']}{hidden}: {said}"
    return (
        f"{report['id']} {report['status']} {report['created_at'][:16]} {report['reason']}{words} | "
        f"{thing}shop {report['shop_id']} {report['place_name']}{about}"
    )


def _settle(report_ids: tuple[int, ...], outcome: str, reason: str) -> None:
    actor = operator()
    db = operator_database()
    closed = queries.settle(db, list(report_ids), outcome=outcome, actor=actor, reason=reason)
    others = sorted(set(report_ids) - set(closed))
    click.echo(f"{len(closed)} reports closed")
    if others:
        raise click.ClickException(f"no open reports with ids {', '.join(map(str, others))}")


def _report_outcome(review_id: int, outcome: str) -> None:
    if outcome == "unknown":
        raise click.ClickException(f"no review with id {review_id}")
    click.echo(f"review {review_id} is {outcome}")
