"""Who is let in: this machine alone, or whoever has the token; no other page."""

from __future__ import annotations

import http.client
import socket
from pathlib import Path

import pytest

import linkwright as lw
from linkwright.browser.serving import is_local, serve
from linkwright.errors import InputError, MissingExtraError

VISER = "viser-v"


def asked(host, port, path="/", **headers):
    connection = http.client.HTTPConnection(host, port, timeout=10)
    connection.request("GET", path, headers={"Accept-Encoding": "identity", **headers})
    answer = connection.getresponse()
    body = answer.read()
    connection.close()
    return answer, body


def shaken(port, path="/", **headers):
    """Whether a websocket is let in: its status."""
    import viser

    given = {
        "Upgrade": "websocket",
        "Connection": "Upgrade",
        "Sec-WebSocket-Key": "dGhlIHNhbXBsZSBub25jZQ==",
        "Sec-WebSocket-Version": "13",
        "Sec-WebSocket-Protocol": f"{VISER}{viser.__version__}",
        **headers,
    }
    with socket.create_connection(("127.0.0.1", port), timeout=10) as line:
        named = {"Host": f"127.0.0.1:{port}", **given}
        text = "".join(f"{name}: {value}\r\n" for name, value in named.items())
        line.sendall(f"GET {path} HTTP/1.1\r\n{text}\r\n".encode())
        return int(line.recv(64).split()[1])


@pytest.fixture(scope="module")
def here():
    pytest.importorskip("viser", reason="the extra studio is not installed")
    served = serve(port=18300)
    yield served
    served.server.stop()


@pytest.fixture(scope="module")
def everywhere():
    pytest.importorskip("viser", reason="the extra studio is not installed")
    served = serve(host="0.0.0.0", port=18320)
    yield served
    served.server.stop()


def test_it_listens_on_this_machine_alone(here):
    port = here.server.get_port()
    assert here.address == f"http://127.0.0.1:{port}/"
    assert here.server.get_host() == "127.0.0.1"
    if not Path("/proc/net/tcp").exists():
        pytest.skip("no list of what listens")
    listening = [line.split()[1:4] for line in Path("/proc/net/tcp").read_text().splitlines()[1:]]
    bound = {address for address, _, state in listening if state == "0A" and address.endswith(f":{port:04X}")}
    assert bound == {f"0100007F:{port:04X}"}
    answer, body = asked("127.0.0.1", port)
    assert answer.status == 200
    assert b"<html" in body
    assert answer.getheader("X-Content-Type-Options") == "nosniff"


def test_other_pages_and_other_names_are_turned_away(here):
    port = here.server.get_port()
    own = f"http://127.0.0.1:{port}"
    assert shaken(port, Origin=own) == 101
    assert shaken(port) == 101  # no browser
    assert shaken(port, Origin="http://evil.example") == 403
    assert shaken(port, Origin="null") == 403
    assert shaken(port, Origin=f"http://127.0.0.1:{port + 1}") == 403
    rebound = f"evil.example:{port}"
    assert shaken(port, Host=rebound, Origin=f"http://{rebound}") == 403
    assert asked("127.0.0.1", port, Host=rebound)[0].status == 403
    assert asked("127.0.0.1", port, Host=f"localhost:{port}")[0].status == 200


def test_hosts_and_origins_are_read_strictly(here):
    port = here.server.get_port()
    for host in (
        *(
            "[::1].evil.com",
            f"[::1].evil.com:{port}",
            "evil.com@127.0.0.1",
            f"evil.com@127.0.0.1:{port}",
            "127.0.0.1/x",
        ),
        *(
            "127.0.0.1#.evil.com",
            "127.0.0.1?evil.com",
            "127.0.0.1:x",
            "127.0.0.1:",
            "[::1",
            "::1",
            "[evil.com]",
            " ",
            "-",
        ),
        *("127.0.0.1.evil.com", "localhost.evil.com", "evil-localhost", "[::ffff:8.8.8.8]", "127.0.0.1\\evil.com"),
    ):
        assert shaken(port, Host=host) == 403, host
        assert shaken(port, Host=host, Origin=f"http://{host}") == 403, host
    for host in (f"127.0.0.1:{port}", "127.0.0.1", f"[::1]:{port}", f"LOCALHOST:{port}", f"my.localhost:{port}"):
        assert shaken(port, Host=host) == 101, host
        assert shaken(port, Host=host, Origin=f"http://{host}") == 101, host
        for scheme in ("https", "ws", "file", "chrome-extension", "null", ""):
            assert shaken(port, Host=host, Origin=f"{scheme}://{host}") == 403, (scheme, host)
        for origin in (host, f"//{host}", f"http://{host}/", f"http://{host}@evil.com", f"http://evil.com@{host}"):
            assert shaken(port, Host=host, Origin=origin) == 403, origin


def test_the_page_is_not_led_elsewhere(here):
    port = here.server.get_port()
    for query in ("?websocket=ws://evil.example", "?playbackPath=http://evil.example/x", "?token=a&websocket=b"):
        assert asked("127.0.0.1", port, f"/{query}")[0].status == 403
    for path in ("/../serving.py", "/%2e%2e/%2e%2e/_viser.py", "//etc/passwd"):
        assert asked("127.0.0.1", port, path)[0].status == 404


def test_a_page_may_not_open_a_tunnel(here):
    assert here.server.request_share_url() is None


def test_others_need_the_token(everywhere):
    port, token = everywhere.server.get_port(), everywhere.token
    assert len(token) >= 32
    assert everywhere.address.endswith(f":{port}/?token={token}")
    assert asked("127.0.0.1", port)[0].status == 403
    assert shaken(port) == 403
    assert shaken(port, path="/?token=wrong") == 403
    assert shaken(port, Cookie=f"linkwright={token}x") == 403
    assert shaken(port, Cookie="linkwright=") == 403
    assert shaken(port, path=f"/?token={token}", Origin="http://evil.example") == 403
    answer, _ = asked("127.0.0.1", port, f"/?token={token}")
    assert answer.status == 200
    kept = answer.getheader("Set-Cookie")
    assert {"HttpOnly", "SameSite=Strict"} <= set(kept.split("; "))
    assert shaken(port, Cookie=kept.split(";")[0]) == 101
    assert shaken(port, path=f"/?token={token}") == 101
    assert any("other computers can connect" in note for note in everywhere.notes)


def test_each_start_has_a_token_of_its_own(everywhere):
    again = serve(host="0.0.0.0", port=18340)
    again.server.stop()
    assert again.token != everywhere.token


def test_a_taken_port_is_reported(here):
    port = here.server.get_port()
    other = serve(port=port)
    try:
        assert other.server.get_port() == port + 1
        assert other.notes == (f"port {port} is in use; using port {port + 1}",)
        assert asked("127.0.0.1", port + 1)[0].status == 200
    finally:
        other.server.stop()


def test_wrong_addresses_and_ports_are_reported():
    with pytest.raises(InputError, match=r"unknown address 'nowhere\.invalid'"):
        serve(host="nowhere.invalid")
    with pytest.raises(InputError, match=r"cannot listen at '192\.0\.2\.1'"):
        serve(host="192.0.2.1")
    for port in (0, 65536, True, "8080"):
        with pytest.raises(InputError, match="a port is a whole number from 1 to 65535"):
            serve(port=port)
    with pytest.raises(InputError, match="host is an address"):
        serve(host=1)


def test_which_addresses_are_local():
    assert is_local("127.0.0.1")
    assert is_local("localhost")
    assert is_local("127.1.2.3")
    assert not is_local("0.0.0.0")
    assert not is_local("")


def test_nothing_is_printed_and_stopping_frees_the_port(capfd):
    served = serve(port=18360)
    served.server.stop()
    printed = capfd.readouterr()
    assert printed.out == printed.err == ""
    again = serve(port=18360)
    again.server.stop()
    assert again.notes == ()


def test_without_viser_the_extra_is_named(monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "viser", None)
    with pytest.raises(MissingExtraError, match=r"pip install 'linkwright\[studio\]'"):
        lw.studio(lw.load("two_link"))
