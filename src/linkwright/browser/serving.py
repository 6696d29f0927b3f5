"""The server of the studio, and its access control.

By default only this computer can connect, and only pages that the studio has sent: other pages in the same browser are
refused. If other computers can connect, the address contains a token, which is required for access.
"""

from __future__ import annotations

import asyncio
import contextlib
import errno
import hmac
import io
import ipaddress
import re
import secrets
import socket
import threading
from collections.abc import Callable, Iterator
from http import HTTPStatus
from http.cookies import CookieError, SimpleCookie
from typing import Any, NamedTuple
from urllib.parse import parse_qs, urlsplit

from linkwright.bounds import whole_number
from linkwright.browser.connection_log import report_briefly
from linkwright.errors import DisplayError, InputError, MissingExtraError

PORT = 8080
TRIED = 100
"""Number of ports that are tried."""
_STARTING = threading.Lock()


class Served(NamedTuple):
    """A server and its address."""

    server: Any
    """the viser server"""
    address: str
    """address for a browser, with the token"""
    token: str
    """token, "" if only this computer can connect"""
    notes: tuple[str, ...]
    """notes for the user"""


def serve(host: str = "127.0.0.1", port: int | None = None, title: str = "Linkwright") -> Served:
    """Start a server for browsers.

    ``host``: address to listen at; the address of a server for other computers contains a token. ``port``: from 1 to
    65535; default: :data:`PORT`, or the next free one. Raises :class:`InputError` for an unknown address and
    :class:`~linkwright.errors.MissingExtraError` without viser.
    """
    viser = _viser()
    if port is not None:
        whole_number("a port", port, 1, 65535)
    local = is_local(host)
    token = "" if local else secrets.token_urlsafe(24)
    wanted = PORT if port is None else port
    with _STARTING:
        free = _free_port(host, wanted)
        server = _started(viser, host, free, Door(token, local))
    found = server.get_port()
    notes = [f"port {wanted} is in use; using port {found}"] * (found != wanted)
    shown = socket.gethostname() if host in ("0.0.0.0", "::", "") else f"[{host}]" if ":" in host else host
    address = f"http://{shown}:{found}/" + (f"?token={token}" if token else "")
    if not local:
        notes.append("other computers can connect: everybody with this address can move the robot")
        notes.append("the connection is not encrypted: use it only in a trusted network")
        if shown == socket.gethostname() and (number := number_of_this_machine()):
            notes.append(f"if other computers do not know this name: http://{number}:{found}/?token={token}")
    server.gui.set_panel_label(title)
    return Served(server, address, token, tuple(notes))


def _viser() -> Any:
    try:
        import viser
        import websockets.asyncio.server  # noqa: F401
    except ImportError as error:
        raise MissingExtraError(
            f"the studio needs the package viser: pip install 'linkwright[studio]' ({error})"
        ) from None
    return viser


def is_local(host: str) -> bool:
    """Return whether an address is local to this computer; raise :class:`InputError` for an unknown one."""
    if not isinstance(host, str):
        raise InputError(f"host is an address such as '127.0.0.1'; got {host!r}")
    try:
        found = socket.getaddrinfo(host or None, 0, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)
    except (OSError, UnicodeError) as error:
        raise InputError(f"cannot listen at the unknown address {host!r}: {error}") from None
    return all(ipaddress.ip_address(str(one[4][0]).partition("%")[0]).is_loopback for one in found)


def number_of_this_machine() -> str:
    """Return the IP address of this computer in its network, or ""."""
    try:
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as trial:
            trial.connect(("192.0.2.1", 9))  # nothing is sent: the system only selects the interface
            number = str(trial.getsockname()[0])
    except OSError:
        return ""
    return "" if ipaddress.ip_address(number).is_unspecified else number


def _free_port(host: str, first: int) -> int:
    """Return the first free port, from ``first`` on."""
    for port in range(first, min(first + TRIED, 65536)):
        try:
            for family, kind, _, _, place in socket.getaddrinfo(
                host or None, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
            ):
                with socket.socket(family, kind) as trial:
                    trial.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
                    if family == socket.AF_INET6:
                        trial.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 1)
                    trial.bind(place)
                    trial.listen(1)
            return port
        except OSError as error:
            if error.errno not in (errno.EADDRINUSE, errno.EACCES):
                raise InputError(f"cannot listen at {host!r}: {error.strerror or error}") from None
    raise InputError(f"no port from {first} to {min(first + TRIED, 65536) - 1} is free at {host!r}; use another --port")


class Door:
    """Access control, checked for each request before it is answered."""

    def __init__(self, token: str, local: bool):
        self.token, self.local = token, local

    def refusal(self, path: str, headers: Any) -> str | None:
        """Return why a request is refused, or None."""
        host, origin = _one(headers, "Host"), _one(headers, "Origin")
        if host is None:
            return "no host is given"
        parts = _HOST.fullmatch(host)
        if parts is None:
            return "the host is not a name or an address"
        if self.local and not _names_this_machine(parts["number"] or parts["name"]):
            return "the host is not this computer"
        if origin is not None and origin.lower() != f"http://{host}".lower():
            return "other pages cannot connect"
        asked = parse_qs(urlsplit(path).query)
        if not asked.keys() <= {"token"}:
            return "the address contains more than a token"
        if self.token and not any(
            hmac.compare_digest(given.encode(), self.token.encode())
            for given in (*asked.get("token", ()), self._kept(headers))
        ):
            return "the token of the printed address is missing"
        return None

    @property
    def cookie(self) -> str:
        """Cookie with the token, for later requests of the browser."""
        return f"linkwright={self.token}; Path=/; HttpOnly; SameSite=Strict"

    @staticmethod
    def _kept(headers: Any) -> str:
        try:
            found = SimpleCookie(_one(headers, "Cookie") or "").get("linkwright")
        except CookieError:
            return ""
        return "" if found is None else found.value

    def guarding(self, answer: Callable[[Any, Any], Any]) -> Callable[[Any, Any], Any]:
        """Return the request handler of a server, with access control."""

        def answered(connection: Any, request: Any) -> Any:
            refusal = self.refusal(request.path, request.headers)
            if refusal is not None:
                return connection.respond(HTTPStatus.FORBIDDEN, f"Access refused: {refusal}.\n")
            response = answer(connection, request)
            if response is not None:
                response.headers["Referrer-Policy"] = "no-referrer"
                response.headers["X-Content-Type-Options"] = "nosniff"
                if self.token:
                    response.headers["Set-Cookie"] = self.cookie
            return response

        return answered


def _one(headers: Any, name: str) -> str | None:
    found = headers.get_all(name)
    return found[0] if len(found) == 1 else None if not found else "\0"


_HOST = re.compile(r"(?:\[(?P<number>[0-9a-f:.]+)\]|(?P<name>[0-9a-z._-]+))(?::[0-9]{1,5})?", re.IGNORECASE)
"""The host of a request: a name or an address, IPv6 in brackets, and a port."""


def _names_this_machine(name: str) -> bool:
    name = name.lower()
    if name == "localhost" or name.endswith(".localhost"):
        return True
    try:
        return ipaddress.ip_address(name).is_loopback
    except ValueError:
        return False


@contextlib.contextmanager
def _silence() -> Iterator[None]:
    """Suppress the output of viser; in a notebook it is more than standard output."""
    import rich

    rich_print = rich.print
    rich.print = lambda *_, **__: None  # type: ignore[assignment]
    try:
        with contextlib.redirect_stdout(io.StringIO()):
            yield
    finally:
        rich.print = rich_print


def _started(viser: Any, host: str, port: int, door: Door) -> Any:
    """Return a viser server with access control, which must be installed where it begins to listen."""
    from websockets.asyncio import server as listening

    class Server(viser.ViserServer):  # type: ignore[misc]
        def request_share_url(self, *_: Any, **__: Any) -> None:
            """Do nothing: a page must not open this computer to the internet."""

        def stop(self) -> None:
            with _silence():
                super().stop()

    guarded = []
    begin, starter = listening.serve, threading.get_ident()

    def serve_guarded(handler: Any, *places: Any, **options: Any) -> Any:
        if threading.get_ident() != starter and "process_request" in options and tuple(places[:2]) == (host, port):
            guarded.append(True)
            options["process_request"] = door.guarding(options["process_request"])
            options["logger"] = report_briefly(asyncio.get_running_loop(), port)
        return begin(handler, *places, **options)

    listening.serve = serve_guarded
    try:
        with _silence():  # viser would print an address without the token
            server = Server(host=host, port=port, verbose=False)
    finally:
        listening.serve = begin
    if not guarded:
        server.stop()
        raise DisplayError(
            "this version of viser does not support access control; run pip install 'linkwright[studio]'"
        )
    return server
