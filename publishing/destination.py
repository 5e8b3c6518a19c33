"""Where a tree of files goes: a folder (dry run) or a repository on the Hub, in one commit.

Publishing is reading what is there, building the new files from it, and applying them; if somebody else commits in
between, all three are done again. Nothing is ever half-published: a folder gets its card last, a repository gets one
commit or none.
"""

from __future__ import annotations

import shutil
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal, Protocol, TypeVar

from huggingface_hub import CommitOperationAdd, CommitOperationDelete, HfApi, get_token
from huggingface_hub.errors import (
    HfHubHTTPError,
    HFValidationError,
    OfflineModeIsEnabled,
    RepositoryNotFoundError,
    RevisionNotFoundError,
)
from huggingface_hub.utils import get_session, validate_repo_id

from ..atomic import one_step

Kind = Literal["model", "dataset", "space"]
T = TypeVar("T")

CONFLICTS = 3
"""How often a push starts over because somebody else committed."""

LONGEST_WAIT = 30.0
"""Seconds between two attempts, at most; the first wait is one second, each further one twice as long."""


PATIENCE = 300.0
"""Seconds without a byte after which a request has failed; a large commit takes the Hub a while."""


class PushError(ValueError):
    """Why something was not published: one sentence, with the way out."""


class _Conflict(Exception):
    """Somebody else committed since the repository was read."""


@dataclass(frozen=True)
class Changes:
    """Files to write (contents, or a file to copy), files to remove, and the commit's message."""

    files: Mapping[str, bytes | Path]
    message: str
    removed: frozenset[str] = frozenset()


class Destination(Protocol):
    """What is there now, and how to change it."""

    def refresh(self) -> None:
        """Looks again at what is there."""

    def paths(self) -> frozenset[str]:
        """Paths of all files that are there."""

    def read(self, path: str) -> bytes | None:
        """The contents of a file, or None if it isn't there."""

    def apply(self, changes: Changes) -> str:
        """Makes the changes; returns where to look at them."""


def publish(destination: Destination, build: Callable[[Destination], Changes]) -> str:
    """Builds the changes from what is there and makes them.

    Args:
        destination: where to.
        build: from what is there to what to change; called again after a conflict.

    Returns:
        Where to look at them.

    Raises:
        PushError: nothing was changed.
    """
    for _ in range(CONFLICTS):
        destination.refresh()
        changes = build(destination)
        try:
            return destination.apply(changes)
        except _Conflict:
            continue
    raise PushError(
        f"others committed {CONFLICTS} times while this was being published, so nothing was changed; try again later"
    )


@dataclass
class FolderDestination:
    """A dry run: the tree in a folder. What an earlier dry run left there is read as the Hub's files would be."""

    folder: Path

    def refresh(self) -> None:
        if self.folder.exists() and not self.folder.is_dir():
            raise PushError(f"{self.folder} is a file; name a folder for the dry run")

    def paths(self) -> frozenset[str]:
        return frozenset(path.relative_to(self.folder).as_posix() for path in self.folder.rglob("*") if path.is_file())

    def read(self, path: str) -> bytes | None:
        file = self.folder / path
        return file.read_bytes() if file.is_file() else None

    def apply(self, changes: Changes) -> str:
        for path in sorted(changes.files, key=lambda path: (path == "README.md", path)):
            self._write(path, changes.files[path])
        # Only what is there: the names come from a file that others may have written.
        for path in changes.removed & self.paths():
            (self.folder / path).unlink()
        return str(self.folder)

    def _write(self, path: str, content: bytes | Path) -> None:
        file = self.folder / path
        file.parent.mkdir(parents=True, exist_ok=True)
        with one_step(file) as part:
            if isinstance(content, bytes):
                part.write_bytes(content)
            else:
                shutil.copyfile(content, part)


@dataclass
class HubDestination:
    """A repository on the Hub; see :func:`open_repository`."""

    repo_id: str
    kind: Kind
    revision: str | None = None
    create_pr: bool = False
    retries: int = 3
    created: bool = False
    api: HfApi = field(default_factory=HfApi)
    _head: str = ""
    _paths: frozenset[str] = frozenset()

    def refresh(self) -> None:
        info = self.call(
            lambda: self.api.repo_info(self.repo_id, repo_type=self.kind, revision=self.revision), "reading"
        )
        self._head = info.sha or ""
        self._paths = frozenset(sibling.rfilename for sibling in getattr(info, "siblings", None) or ())

    def paths(self) -> frozenset[str]:
        return self._paths

    def read(self, path: str) -> bytes | None:
        if path not in self._paths:
            return None

        def download() -> bytes:
            file = self.api.hf_hub_download(self.repo_id, path, repo_type=self.kind, revision=self._head)
            return Path(file).read_bytes()

        return self.call(download, "reading")

    def apply(self, changes: Changes) -> str:
        def commit() -> Any:
            # The client changes operations while it works on them: every attempt gets its own.
            operations: list[CommitOperationAdd | CommitOperationDelete] = [
                *(CommitOperationAdd(path, content) for path, content in sorted(changes.files.items())),
                *(CommitOperationDelete(path) for path in sorted(changes.removed & self._paths)),
            ]
            return self.api.create_commit(
                self.repo_id,
                operations,
                commit_message=changes.message,
                repo_type=self.kind,
                revision=self.revision,
                create_pr=self.create_pr,
                parent_commit=self._head,
            )

        done = self.call(commit, "committing to", repeat=not self.create_pr)
        head, self.created = self._head, False
        if not done.pr_url:
            self._head = done.oid
        if done.pr_url:
            return str(done.pr_url)
        return f"{done.commit_url} (nothing new)" if done.oid == head else str(done.commit_url)

    def call(self, request: Callable[[], T], doing: str, *, repeat: bool = True) -> T:
        """Runs a request, again after passing trouble; every failure becomes a :class:`PushError`.

        Args:
            request: what to do.
            doing: for the error.
            repeat: whether it may be done again although its first outcome is unknown.
        """
        for attempt in range(self.retries + 1):
            _limit_waiting()
            try:
                return request()
            except Exception as error:
                if _status(error) == 412:
                    raise _Conflict from error
                if attempt == self.retries or not _passing(error) or not (repeat or _refused(error)):
                    raise self._explained(error, doing, attempt + 1) from error
            time.sleep(min(2.0**attempt, LONGEST_WAIT))
        raise AssertionError("unreachable")

    def _explained(self, error: Exception, doing: str, attempts: int) -> Exception:
        if isinstance(error, RepositoryNotFoundError):
            reason = f"there is no {self.kind} {self.repo_id!r} that this token can see; check the name and the token"
        elif isinstance(error, RevisionNotFoundError):
            reason = f"{self.repo_id!r} has no revision {self.revision!r}; create the branch first, or leave it out"
        elif isinstance(error, HFValidationError):
            reason = f"{self.repo_id!r} is not a repository name; it must look like user/name"
        elif isinstance(error, OfflineModeIsEnabled):
            reason = "HF_HUB_OFFLINE is set; unset it, or use --dry-run"
        elif _status(error) == 401:
            reason = "the Hub doesn't know this token; set HF_TOKEN or run `hf auth login`"
        elif _status(error) == 403:
            reason = f"this token may not write to {self.repo_id!r}; use one with write rights, or --create-pr"
        elif _passing(error):
            times = f"{attempts} time{'s' * (attempts > 1)}"
            reason = f"the Hub at {self.api.endpoint} failed {times} ({_brief(error)}); try again later"
        elif isinstance(error, (HfHubHTTPError, ValueError)):
            reason = f"the Hub refused it ({_brief(error)})"
        else:
            return error
        lost = doing == "committing to" and _passing(error) and not _refused(error)
        return PushError(f"{doing} {self.repo_id} failed: {reason}. {self._state(lost)}")

    def _state(self, lost: bool) -> str:
        if lost and self.create_pr:
            return f"Whether the pull request was opened is unknown; look at {self.repo_id} before you try again."
        if lost:
            return "Whether the commit arrived is unknown; the same command adds only what is missing."
        if self.created:
            return f"The new repository {self.repo_id} is there, and empty."
        if self._head:
            return f"{self.repo_id} is as it was (commit {self._head[:8]})."
        return "Nothing was changed."


def open_repository(
    repo_id: str,
    kind: Kind,
    *,
    create: bool,
    private: bool = False,
    revision: str | None = None,
    create_pr: bool = False,
    retries: int = 3,
    space_sdk: str | None = None,
) -> HubDestination:
    """The repository to publish to, which this token may be able to write to.

    Args:
        repo_id: ``user/name``.
        kind: ``model``, ``dataset`` or ``space``.
        create: make it if it isn't there.
        private: it must be private: a new one is made so, one that is public is refused.
        revision: branch to commit to; the main one by default.
        create_pr: open a pull request instead of committing.
        retries: further attempts after passing trouble.
        space_sdk: of a new Space.

    Raises:
        PushError: no token, no such repository, or a public one where a private one is needed.
    """
    check_repo_id(repo_id)
    if not get_token():
        raise PushError("there is no Hub token; set HF_TOKEN or run `hf auth login`, or use --dry-run")
    repository = HubDestination(repo_id, kind, revision, create_pr, retries)
    if create and revision is not None and not _exists(repository):
        raise PushError(
            f"there is no {kind} {repo_id!r} yet, so it has no revision {revision!r}; push without --revision first"
        )
    if create and not _exists(repository):
        repository.call(
            lambda: repository.api.create_repo(
                repo_id, repo_type=kind, private=private, exist_ok=True, space_sdk=space_sdk
            ),
            "creating",
        )
        repository.created = True
    if private:
        info = repository.call(lambda: repository.api.repo_info(repo_id, repo_type=kind), "reading")
        if not info.private:
            raise PushError(
                f"{repo_id} is public, and --private asks for a private repository; make it private in its settings "
                "or name another one. Nothing was changed."
            )
    return repository


def check_repo_id(repo_id: str) -> None:
    """Raises PushError unless the name is ``user/name`` as the Hub spells names."""
    try:
        validate_repo_id(repo_id)
        valid = repo_id.count("/") == 1
    except HFValidationError:
        valid = False
    if not valid:
        raise PushError(
            f"{repo_id!r} is not a repository name: it must be user/name, of letters, digits, '-', '_' and '.', 96 "
            "characters at most"
        )


def _exists(repository: HubDestination) -> bool:
    return repository.call(
        lambda: repository.api.repo_exists(repository.repo_id, repo_type=repository.kind), "looking for"
    )


def _status(error: BaseException) -> int | None:
    return getattr(getattr(error, "response", None), "status_code", None)


def _passing(error: BaseException) -> bool:
    """Whether the same request may work a moment later."""
    if isinstance(error, OfflineModeIsEnabled):
        return False
    status = _status(error)
    if status is not None:
        return status >= 500 or status == 429
    # The client's HTTP library differs between versions of huggingface_hub.
    library = type(error).__module__.partition(".")[0]
    return library in ("httpx", "httpx2", "requests") or isinstance(error, (ConnectionError, TimeoutError))


def _limit_waiting() -> None:
    """Puts a limit where the client has none, and would wait for ever; again before each request, since the client is
    made anew after trouble."""
    hooks = get_session().event_hooks["request"]
    if _within_patience not in hooks:
        hooks.append(_within_patience)


def _within_patience(request: Any) -> None:
    given = request.extensions.get("timeout") or {}
    steps = ("connect", "read", "write", "pool")
    request.extensions["timeout"] = {step: PATIENCE if given.get(step) is None else given[step] for step in steps}


def _refused(error: BaseException) -> bool:
    """Whether the server has said that it did nothing: it was asked too often."""
    return _status(error) == 429


def _brief(error: BaseException) -> str:
    """The last line of an error's message, on one line and without the token."""
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    message = lines[-1] if lines else type(error).__name__
    token = get_token()
    return message.replace(token, "***") if token else message
