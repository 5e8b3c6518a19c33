"""A small Hub on 127.0.0.1: enough of the HTTP API for the real clients to create, upload, commit, and load back.

Models, datasets and Spaces live in memory. Uploads go over LFS (clients must run with ``HF_HUB_DISABLE_XET=1``).
Tests look into :class:`Hub` directly and inject trouble through :meth:`Hub.fail`.
"""

from __future__ import annotations

import base64
import hashlib
import json
import re
import socket
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, unquote, urlsplit

from hub_rules import card_errors, eval_result_errors

LFS_SUFFIXES = (".parquet", ".png", ".jpg", ".safetensors")
KINDS = {"": "model", "datasets/": "dataset", "spaces/": "space"}
PREFIXES = {kind: prefix for prefix, kind in KINDS.items()}


@dataclass
class Commit:
    files: dict[str, bytes]
    message: str
    parent: str | None


@dataclass
class Repo:
    kind: str
    id: str
    private: bool
    sdk: str | None = None
    commits: dict[str, Commit] = field(default_factory=dict)
    refs: dict[str, str] = field(default_factory=dict)

    def commit(self, files: dict[str, bytes], message: str, ref: str, parent: str | None = None) -> str:
        names = sorted((path, hashlib.sha1(content).hexdigest()) for path, content in files.items())
        sha = hashlib.sha1(json.dumps([names, message, parent, len(self.commits)]).encode()).hexdigest()
        self.commits[sha] = Commit(files, message, parent)
        self.refs[ref] = sha
        return sha

    def files(self, ref: str = "main") -> dict[str, bytes]:
        return self.commits[self.refs[ref]].files

    def history(self, ref: str = "main") -> list[str]:
        messages, sha = [], self.refs.get(ref)
        while sha is not None:
            messages.append(self.commits[sha].message)
            sha = self.commits[sha].parent
        return messages


@dataclass
class Fault:
    """Trouble for the next ``times`` requests whose ``METHOD path`` matches.

    A status, a connection cut before the request is served, an answer lost after it was, a delay, or something done
    just before.
    """

    pattern: str
    times: int
    status: int | None = None
    cut: bool = False
    lose: bool = False
    delay: float = 0.0
    action: Callable[[], None] | None = None
    message: str = "injected"


class Hub:
    """The server, its repositories, and its log of ``METHOD path`` lines."""

    def __init__(self) -> None:
        self.repos: dict[tuple[str, str], Repo] = {}
        self.blobs: dict[str, bytes] = {}
        self.tokens = {"hf_local_write": "write", "hf_local_read": "read"}
        self.log: list[str] = []
        self.faults: list[Fault] = []
        self.lock = threading.RLock()
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), _Handler)
        self._server.hub = self  # type: ignore[attr-defined]
        self._server.daemon_threads = True
        self.url = f"http://127.0.0.1:{self._server.server_address[1]}"
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.05,), daemon=True)
        self._thread.start()

    def close(self) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()

    def create(self, kind: str, repo_id: str, files: dict[str, bytes] | None = None, *, private: bool = False) -> Repo:
        repo = self.repos[kind, repo_id] = Repo(kind, repo_id, private)
        repo.commit(files or {}, "initial commit", "main")
        return repo

    def fail(self, pattern: str, times: int = 1, **trouble: Any) -> None:
        self.faults.append(Fault(pattern, times, **trouble))

    def requests(self, pattern: str = "") -> list[str]:
        return [line for line in self.log if re.search(pattern, line)]


class _Error(Exception):
    def __init__(self, status: int, message: str, code: str | None = None) -> None:
        super().__init__(message)
        self.status, self.message, self.code = status, message, code


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *args: Any) -> None:
        pass

    @property
    def hub(self) -> Hub:
        return self.server.hub  # type: ignore[attr-defined]

    def _handle(self) -> None:
        url = urlsplit(self.path)
        path, self.query = unquote(url.path), parse_qs(url.query)
        self.data = self._body()
        line = f"{self.command} {self.path}"
        self.hub.log.append(line)
        fault = self._fault(line)
        self.lose = fault is not None and fault.lose
        if fault is not None:
            time.sleep(fault.delay)
            if fault.action is not None:
                fault.action()
            if fault.cut:
                self._hang_up()
                return
            if fault.status is not None:
                self._reply(fault.status, {"error": fault.message}, {"X-Error-Message": fault.message})
                return
        try:
            with self.hub.lock:
                for methods, pattern, route in _ROUTES:
                    match = re.fullmatch(pattern, path)
                    if self.command in methods and match:
                        route(self, **match.groupdict())
                        return
            raise _Error(404, f"no route for {line}")
        except _Error as error:
            headers = {"X-Error-Message": error.message}
            if error.code:
                headers["X-Error-Code"] = error.code
            self._reply(error.status, {"error": error.message}, headers)

    do_GET = do_HEAD = do_POST = do_PUT = do_DELETE = _handle

    def _fault(self, line: str) -> Fault | None:
        with self.hub.lock:
            for fault in self.hub.faults:
                if fault.times > 0 and re.search(fault.pattern, line):
                    fault.times -= 1
                    return fault
        return None

    def _body(self) -> bytes:
        if self.headers.get("Transfer-Encoding", "").lower() != "chunked":
            return self.rfile.read(int(self.headers.get("Content-Length") or 0))
        body = b""
        while size := int(self.rfile.readline().split(b";")[0], 16):
            body += self.rfile.read(size)
            self.rfile.readline()
        self.rfile.readline()
        return body

    def _hang_up(self) -> None:
        self.close_connection = True
        self.connection.shutdown(socket.SHUT_RDWR)

    def _reply(self, status: int, body: Any = b"", headers: dict[str, str] | None = None) -> None:
        if self.lose:
            self._hang_up()
            return
        content = body if isinstance(body, bytes) else json.dumps(body).encode()
        headers = {"Content-Length": str(len(content)), "Content-Type": "application/json", **(headers or {})}
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name, value.replace("\n", " "))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(content)

    # --- who may do what

    def _role(self) -> str | None:
        header = self.headers.get("Authorization", "")
        if not header:
            return None
        role = self.hub.tokens.get(header.removeprefix("Bearer "))
        if role is None:
            raise _Error(401, "Invalid credentials in Authorization header")
        return role

    def _writer(self) -> None:
        role = self._role()
        if role is None:
            raise _Error(401, "Invalid username or password.")
        if role != "write":
            raise _Error(403, "You don't have the rights to write to this repository")

    def _repo(self, kind: str, repo_id: str) -> Repo:
        role = self._role()
        repo = self.hub.repos.get((kind, repo_id))
        if repo is None or (repo.private and role is None):
            raise _Error(404 if role else 401, "Repository not found", "RepoNotFound")
        return repo

    def _revision(self, repo: Repo, revision: str | None) -> tuple[str, dict[str, bytes]]:
        revision = revision or "main"
        sha = repo.refs.get(revision, revision)
        if sha not in repo.commits:
            raise _Error(404, f"Invalid rev id: {revision}", "RevisionNotFound")
        return sha, repo.commits[sha].files

    # --- routes

    def whoami(self) -> None:
        self._writer_or_reader()
        self._reply(200, {"type": "user", "name": "tester", "orgs": [], "auth": {"accessToken": {"role": "write"}}})

    def _writer_or_reader(self) -> None:
        if self._role() is None:
            raise _Error(401, "Invalid username or password.")

    def create_repo(self) -> None:
        self._writer()
        wanted = json.loads(self.data)
        kind = wanted.get("type") or "model"
        repo_id = f"{wanted.get('organization') or 'tester'}/{wanted['name']}"
        url = f"{self.hub.url}/{PREFIXES[kind]}{repo_id}"
        if (kind, repo_id) in self.hub.repos:
            self._reply(409, {"error": "You already created this repo", "url": url})
            return
        private = bool(wanted.get("private")) or wanted.get("visibility") == "private"
        repo = self.hub.create(kind, repo_id, private=private)
        repo.sdk = wanted.get("sdk")
        self._reply(200, {"url": url, "name": repo_id})

    def validate_yaml(self) -> None:
        wanted = json.loads(self.data)
        errors = card_errors(wanted["content"], wanted.get("repoType") or "model")
        self._reply(400 if errors else 200, {"errors": [{"message": e} for e in errors], "warnings": []})

    def info(self, kind: str, id: str, rev: str | None = None) -> None:
        repo = self._repo(kind, id)
        sha, files = self._revision(repo, rev)
        dates = {"lastModified": "2026-01-01T00:00:00.000Z", "createdAt": "2026-01-01T00:00:00.000Z"}
        flags = {"private": repo.private, "gated": False, "disabled": False, "tags": [], "downloads": 0, "likes": 0}
        siblings = [{"rfilename": path} for path in sorted(files)]
        names = {"_id": "0" * 24, "id": id, "modelId": id, "author": id.split("/", maxsplit=1)[0], "sha": sha}
        self._reply(200, {**names, **flags, **dates, "siblings": siblings})

    def refs(self, kind: str, id: str) -> None:
        repo = self._repo(kind, id)
        branches = [
            {"name": name, "ref": f"refs/heads/{name}", "targetCommit": sha}
            for name, sha in repo.refs.items()
            if not name.startswith("refs/")
        ]
        self._reply(200, {"branches": branches, "tags": [], "converts": [], "pullRequests": []})

    def create_branch(self, kind: str, id: str, name: str) -> None:
        self._writer()
        repo = self._repo(kind, id)
        if name in repo.refs:
            raise _Error(409, "Reference already exists")
        repo.refs[name] = repo.refs["main"]
        self._reply(200, {})

    def tree(self, kind: str, id: str, rev: str, folder: str | None = None) -> None:
        _, files = self._revision(self._repo(kind, id), rev)
        folder = (folder or "").strip("/")
        prefix = folder + "/" if folder else ""
        if folder and folder not in _folders(files):
            raise _Error(404, f"{folder} does not exist on {rev}", "EntryNotFound")
        recursive = self.query.get("recursive", ["false"])[0].lower() in ("true", "1")

        def inside(path: str) -> bool:
            return path.startswith(prefix) and (recursive or "/" not in path[len(prefix) :])

        entries = [_folder_entry(path) for path in sorted(_folders(files)) if inside(path)]
        self._reply(200, entries + [_file_entry(path, files[path]) for path in sorted(files) if inside(path)])

    def paths_info(self, kind: str, id: str, rev: str) -> None:
        _, files = self._revision(self._repo(kind, id), rev)
        is_json = self.data[:1] == b"{"
        paths = json.loads(self.data)["paths"] if is_json else parse_qs(self.data.decode()).get("paths", [])
        folders = _folders(files)
        entries = []
        for path in [paths] if isinstance(paths, str) else paths:
            if path in files:
                entries.append(_file_entry(path, files[path]))
            elif path in folders:
                entries.append(_folder_entry(path))
        self._reply(200, entries)

    def preupload(self, kind: str, id: str, rev: str) -> None:
        self._writer()
        _, files = self._revision(self._repo(kind, id), rev)
        answers = []
        for wanted in json.loads(self.data)["files"]:
            path = wanted["path"]
            oid = _file_entry(path, files[path])["oid"] if path in files else None
            mode = "lfs" if _is_lfs(path) else "regular"
            answers.append({"path": path, "shouldIgnore": False, "oid": oid, "uploadMode": mode})
        self._reply(200, {"files": answers})

    def lfs_batch(self, prefix: str | None, id: str) -> None:
        self._writer()
        self._repo(KINDS[prefix or ""], id)
        objects = []
        for wanted in json.loads(self.data)["objects"]:
            answer = {"oid": wanted["oid"], "size": wanted["size"], "authenticated": True}
            if wanted["oid"] not in self.hub.blobs:
                answer["actions"] = {"upload": {"href": f"{self.hub.url}/_lfs/{wanted['oid']}", "header": {}}}
            objects.append(answer)
        self._reply(200, {"transfer": "basic", "objects": objects})

    def lfs_put(self, oid: str) -> None:
        if hashlib.sha256(self.data).hexdigest() != oid:
            raise _Error(400, "sha256 mismatch")
        self.hub.blobs[oid] = self.data
        self._reply(200)

    def commit(self, kind: str, id: str, rev: str) -> None:
        self._writer()
        repo = self._repo(kind, id)
        head, files = self._revision(repo, rev)
        files, message, base = dict(files), "", head
        for line in self.data.splitlines():
            operation = json.loads(line)
            value = operation["value"]
            match operation["key"]:
                case "header":
                    message = value["summary"]
                    base = value.get("parentCommit") or head
                case "file":
                    files[value["path"]] = base64.b64decode(value["content"])
                case "lfsFile":
                    if value["oid"] not in self.hub.blobs:
                        raise _Error(400, f"LFS object {value['oid']} was not uploaded")
                    files[value["path"]] = self.hub.blobs[value["oid"]]
                case "deletedFile":
                    files.pop(value["path"], None)
                case "deletedFolder":
                    files = {
                        path: c for path, c in files.items() if not path.startswith(value["path"].rstrip("/") + "/")
                    }
        for path, content in files.items():
            if path.startswith(".eval_results/") and (errors := eval_result_errors(content.decode())):
                raise _Error(400, f"{path}: {'; '.join(errors)}")
        pull_request = self.query.get("create_pr") == ["1"]
        if base != head and not pull_request:
            raise _Error(412, "A commit has happened since. Please refresh and try again.")
        number = sum(name.startswith("refs/pr/") for name in repo.refs) + 1
        ref = f"refs/pr/{number}" if pull_request else rev
        sha = repo.commit(files, message, ref, parent=head)
        url = f"{self.hub.url}/{PREFIXES[kind]}{id}"
        answer = {"success": True, "commitOid": sha, "commitUrl": f"{url}/commit/{sha}", "hookOutput": ""}
        if pull_request:
            answer["pullRequestUrl"] = f"{url}/discussions/{number}"
        self._reply(200, answer)

    def resolve(self, prefix: str | None, id: str, rev: str, file: str) -> None:
        sha, files = self._revision(self._repo(KINDS[prefix or ""], id), rev)
        if file not in files:
            raise _Error(404, "Entry not found", "EntryNotFound")
        content = files[file]
        etag = hashlib.sha256(content).hexdigest() if _is_lfs(file) else _blob_id(content)
        headers = {"ETag": f'"{etag}"', "X-Repo-Commit": sha, "Accept-Ranges": "bytes"}
        if _is_lfs(file):
            headers |= {"X-Linked-ETag": f'"{etag}"', "X-Linked-Size": str(len(content))}
        status, total = 200, len(content)
        if match := re.fullmatch(r"bytes=(\d+)-(\d*)", self.headers.get("Range", "")):
            first, last = int(match[1]), min(int(match[2] or total - 1), total - 1)
            if first >= total:
                self._reply(416, b"", {"Content-Range": f"bytes */{total}"})
                return
            headers["Content-Range"] = f"bytes {first}-{last}/{total}"
            content, status = content[first : last + 1], 206
        headers |= {"Content-Length": str(len(content)), "Content-Type": "application/octet-stream"}
        self._reply(status, content, headers)


def _is_lfs(path: str) -> bool:
    return path.endswith(LFS_SUFFIXES)


def _blob_id(content: bytes) -> str:
    return hashlib.sha1(b"blob %d\0" % len(content) + content).hexdigest()


def _folders(files: dict[str, bytes]) -> set[str]:
    return {"/".join(path.split("/")[:depth]) for path in files for depth in range(1, path.count("/") + 1)}


def _folder_entry(path: str) -> dict[str, Any]:
    return {"type": "directory", "path": path, "oid": "0" * 40, "size": 0}


def _file_entry(path: str, content: bytes) -> dict[str, Any]:
    entry = {"type": "file", "path": path, "size": len(content), "oid": _blob_id(content)}
    if _is_lfs(path):
        sha = hashlib.sha256(content).hexdigest()
        entry |= {"oid": sha, "lfs": {"oid": sha, "size": len(content), "pointerSize": 133}}
    return entry


_API = r"/api/(?P<kind>model|dataset|space)s/(?P<id>[^/]+/[^/]+)"
_REV = r"/(?P<rev>refs/[^/]+/[^/]+|[^/]+)"
_ROUTES: list[tuple[tuple[str, ...], str, Callable[..., None]]] = [
    (("GET",), r"/api/whoami-v2", _Handler.whoami),
    (("POST",), r"/api/repos/create", _Handler.create_repo),
    (("POST",), r"/api/validate-yaml", _Handler.validate_yaml),
    (("GET",), _API, _Handler.info),
    (("GET",), _API + r"/revision" + _REV, _Handler.info),
    (("GET",), _API + r"/refs", _Handler.refs),
    (("POST",), _API + r"/branch/(?P<name>.+)", _Handler.create_branch),
    (("GET",), _API + r"/tree" + _REV + r"(?:/(?P<folder>.*))?", _Handler.tree),
    (("POST",), _API + r"/paths-info" + _REV, _Handler.paths_info),
    (("POST",), _API + r"/preupload" + _REV, _Handler.preupload),
    (("POST",), _API + r"/commit" + _REV, _Handler.commit),
    (("POST",), r"/(?P<prefix>datasets/|spaces/)?(?P<id>[^/]+/[^/]+)\.git/info/lfs/objects/batch", _Handler.lfs_batch),
    (("PUT",), r"/_lfs/(?P<oid>[0-9a-f]{64})", _Handler.lfs_put),
    (
        ("GET", "HEAD"),
        r"/(?P<prefix>datasets/|spaces/)?(?P<id>[^/]+/[^/]+)/resolve" + _REV + r"/(?P<file>.+)",
        _Handler.resolve,
    ),
]
