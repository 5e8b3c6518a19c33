"""From rows (one query in one condition and mode) to outcomes: the checks, and what happens to repeated rows."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain
from typing import Any, Literal, NamedTuple

import numpy as np

from .arithmetic import first_positive_ranks, listed
from .summary import Key, Outcome, check_option

Columns = dict[str, list[Any]]


class Scored(NamedTuple):
    """What :func:`~.summary.summarize` takes, made from rows; ``depth`` is the length of the shortest ranking."""

    outcomes: dict[Key, Outcome]
    domains: dict[str, str] | None
    excluded: frozenset[str]
    depth: int | None


def check_ids(name: str, lists: Sequence[Sequence[str]]) -> None:
    """Refuses ids that are not strings: they are kept verbatim, so ``"007"``, ``"7"`` and ``7`` are three things.

    Raises:
        TypeError: a row is not a list of ids, or an id is not a str; names up to five rows.
    """
    odd = {kind for kind in set(map(type, lists)) if issubclass(kind, str | bytes) or not issubclass(kind, Sequence)}
    if odd:
        flat = [i for i, row in enumerate(lists) if type(row) in odd]
        first = lists[flat[0]]
        raise TypeError(
            f"{name} must be a list of ids for each query, got {type(first).__name__} {first!r} in rows {listed(flat)}"
        )
    if all(issubclass(kind, str) for kind in set(map(type, chain.from_iterable(lists)))):
        return
    wrong = [(i, gallery_id) for i, row in enumerate(lists) for gallery_id in row if not isinstance(gallery_id, str)]
    raise TypeError(f"{name} must hold ids of type str, got (row, id): {listed(wrong)}; convert them with str()")


def check_strings(name: str, values: Sequence[str]) -> None:
    """Refuses values that are not non-empty strings.

    Raises:
        TypeError: names up to five (row, value).
    """
    if all(issubclass(kind, str) for kind in set(map(type, values))) and all(values):
        return
    wrong = [(i, value) for i, value in enumerate(values) if not isinstance(value, str) or not value]
    raise TypeError(f"{name} must hold non-empty values of type str, got (row, value): {listed(wrong)}")


def score_rows(
    columns: Columns,
    *,
    no_positives: Literal["raise", "exclude"] = "raise",
    positional: bool = False,
) -> Scored:
    """Merges repeated rows, checks the rest and finds the rank of each row's first positive.

    A row is known by (mode, condition, query id). An identical repeat, as a distributed sampler makes to fill its
    last batch, is merged; a conflicting one is refused. A query's positives and domain must be the same in all rows.

    Args:
        columns: ``predictions``, ``references``, ``query_ids``, ``conditions``, ``modes``, ``domains``, one entry a
            row; domains may be empty strings throughout.
        no_positives: a query without a positive: ``raise``, or ``exclude`` (left out and counted).
        positional: the query ids are only row numbers. They are then dealt out by outcome, so that the order of the
            rows can't reach the bootstrap.

    Raises:
        ValueError: conflicting rows, a gallery id twice in a ranking, a query without positives, domains for some
            queries only. Messages list up to five offenders and the total.
    """
    check_option("no_positives", no_positives, ("raise", "exclude"))
    predictions, references, domains = columns["predictions"], columns["references"], columns["domains"]
    keys = list(zip(columns["modes"], columns["conditions"], columns["query_ids"], strict=True))
    first: dict[tuple[str, str, str], int] = {}
    repeats = [(row, kept) for row, key in enumerate(keys) if (kept := first.setdefault(key, row)) != row]
    two = [keys[row] for row, kept in repeats if predictions[row] != predictions[kept]]
    if two:
        raise ValueError(
            f"(mode, condition, query id) with two different rankings: {listed(_distinct(two))}. A query has one row "
            "in each condition and mode; identical repeats are merged"
        )
    queries = columns["query_ids"]
    positives = dict(zip(queries, references, strict=True))
    conflicts = [
        query
        for query, reference in zip(queries, references, strict=True)
        if reference != positives[query] and set(reference) != set(positives[query])
    ]
    if conflicts:
        raise ValueError(f"queries whose positives differ between rows: {listed(_distinct(conflicts))}")
    domain_of = dict(zip(queries, domains, strict=True))
    conflicts = [query for query, domain in zip(queries, domains, strict=True) if domain_of[query] != domain]
    if conflicts:
        raise ValueError(f"queries with more than one domain: {listed(_distinct(conflicts))}")
    barren = sorted(query for query, wanted in positives.items() if not wanted)
    if barren and no_positives == "raise":
        raise ValueError(
            f"queries without a positive in references: {listed(barren)}. Pass no_positives='exclude' to leave them "
            "out (n_excluded counts them)"
        )
    left_out = set(barren)
    rows = [row for row in first.values() if queries[row] not in left_out]
    rankings = [predictions[row] for row in rows]
    doubled = [keys[row] for row in rows if len(set(predictions[row])) != len(predictions[row])]
    if doubled:
        raise ValueError(f"a gallery id occurs twice in the ranking of (mode, condition, query id): {listed(doubled)}")
    queries = [queries[row] for row in rows]
    ranks = first_positive_ranks(rankings, [positives[query] for query in queries])
    if positional:
        order = sorted(range(len(rows)), key=lambda i: (domains[rows[i]], ranks[i]))
        rows, ranks = [rows[i] for i in order], ranks[order]
        # The place first, for the order; the row's number behind it, for error messages.
        queries = [f"{place:09} (row {queries[i]})" for place, i in enumerate(order)]
        domain_of = {query: domains[row] for query, row in zip(queries, rows, strict=True)}
    groups: dict[Key, list[int]] = {}
    for place, row in enumerate(rows):
        groups.setdefault(keys[row][:2], []).append(place)
    outcomes = {
        key: Outcome([queries[place] for place in places], ranks[np.array(places)]) for key, places in groups.items()
    }
    if not outcomes:  # every query was left out; the result still says how many there were
        outcomes = {key[:2]: Outcome([], np.empty(0, dtype=np.int64)) for key in keys}
    depth = min((len(ranking) for ranking in rankings if ranking), default=None)
    known = {query: domain for query, domain in domain_of.items() if query not in left_out}
    return Scored(outcomes, known if any(known.values()) else None, frozenset(left_out), depth)


def _distinct(offenders: list[Any]) -> list[Any]:
    return list(dict.fromkeys(offenders))
