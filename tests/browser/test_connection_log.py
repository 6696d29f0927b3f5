"""Connections with other protocols are closed with one line of log at most, without a traceback."""

from __future__ import annotations

import logging
import re
import socket
import struct
import time

import pytest

from linkwright.browser import connection_log
from linkwright.browser.serving import serve


@pytest.fixture
def port():
    pytest.importorskip("viser", reason="the extra studio is not installed")
    served = serve(port=18380)
    yield served.server.get_port()
    served.server.stop()


def sent(port: int, data: bytes) -> bytes:
    """Return the answer to bytes, until the studio closes the connection or is silent for half a second."""
    with socket.create_connection(("127.0.0.1", port), timeout=10) as line:
        line.sendall(data)
        line.settimeout(0.5)
        got = b""
        try:
            while more := line.recv(1 << 16):
                got += more
        except OSError:
            pass
        return got


def frame(payload: bytes, text: bool = False) -> bytes:
    """A message of a websocket, masked with zeros, as a browser would send it."""
    assert len(payload) < 1 << 16
    return struct.pack("!BBH", 0x81 if text else 0x82, 0x80 | 126, len(payload)) + b"\0" * 4 + payload


def send(port: int, *payloads: bytes, text: bool = False) -> bytes:
    """Return the answers to messages on a websocket."""
    import viser

    hello = (
        f"GET / HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
        f"Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n"
        f"Sec-WebSocket-Protocol: viser-v{viser.__version__}\r\n\r\n"
    )
    return sent(port, hello.encode() + b"".join(frame(payload, text) for payload in payloads))


def still_answers(port: int) -> bool:
    return sent(port, f"GET / HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\n\r\n".encode()).startswith(b"HTTP/1.1 200")


def lines(capfd: pytest.CaptureFixture) -> list[str]:
    time.sleep(0.2)  # the studio reads in a thread of its own
    printed = capfd.readouterr()
    assert printed.out == ""
    return printed.err.splitlines()


def as_in_a_program(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without the handlers of pytest, what is logged goes where that of a user's program goes: to standard error."""
    monkeypatch.setattr(logging.getLogger(), "handlers", [])


def test_probes_and_garbage_are_a_line_at_most(port, capfd, monkeypatch):
    as_in_a_program(monkeypatch)
    for _ in range(3):
        socket.create_connection(("127.0.0.1", port)).close()
        sent(port, b"GET / HT")
    assert lines(capfd) == []
    for garbage in (b"\x16\x03\x01\x02\x00\r\n\r\n", b"POST / HTTP/1.1\r\n\r\n", b"\x1b[31mGET\r\n\r\n"):
        sent(port, garbage)
    (line,) = lines(capfd)
    assert line.startswith("studio: connection closed: it sent no valid request (InvalidMessage: ")
    assert still_answers(port)


def test_messages_that_cannot_be_read_are_a_line_and_then_counted(port, capfd, monkeypatch):
    as_in_a_program(monkeypatch)
    unknown = b"\x81\xa4type\xa7Nothing"  # {"type": "Nothing"}
    for payload in (b"\xc1junk", b"\x80", unknown):
        send(port, payload)
    send(port, b"text", text=True)
    (line,) = lines(capfd)
    assert re.fullmatch(r"studio: connection closed: malformed message \(\w+: .{1,110}\)", line)
    monkeypatch.setattr(connection_log, "PAUSE", 0.0)  # as if a minute had passed
    send(port, unknown)
    (line,) = lines(capfd)
    assert line.endswith("malformed message (KeyError: 'Nothing'); 3 more since the last")
    assert still_answers(port)


def test_messages_that_are_wrong_for_a_handle_are_a_line(port, capfd, monkeypatch):
    as_in_a_program(monkeypatch)
    msgspec = pytest.importorskip("msgspec")
    wrong = msgspec.msgpack.encode({"type": "GuiUpdateMessage", "uuid": "none", "updates": {"value": 1}})
    unasked = msgspec.msgpack.encode({"type": "FileTransferPartAck", "source_component_uuid": None})
    send(port, wrong, unasked, unasked)
    assert len(lines(capfd)) <= 1
    assert still_answers(port)


def test_errors_of_the_event_loop_are_a_line(caplog):
    import asyncio

    async def failing() -> None:
        raise ValueError("a\x1b[31m\n" + "b" * 500)

    async def main() -> None:
        connection_log.report_briefly(asyncio.get_running_loop(), 0)
        for _ in range(2):
            task = asyncio.ensure_future(failing())
            await asyncio.sleep(0.01)
            assert task.done()
            del task  # nobody has asked for its result

    asyncio.run(main())
    (record,) = [record for record in caplog.records if record.name == "linkwright.browser.0"]
    assert record.getMessage().startswith("studio: message of a page ignored (ValueError: a␛[31m bbb")
    assert len(record.getMessage()) < 200
    assert record.exc_info is None


def test_tracebacks_come_at_the_level_debug(caplog):
    logger = logging.getLogger("linkwright.browser.1")
    logger.addFilter(connection_log.BriefReports())
    with caplog.at_level(logging.DEBUG, "linkwright.browser"):
        try:
            raise ValueError("seen")
        except ValueError:
            logger.exception("connection handler failed")
    assert "Traceback" in caplog.text
