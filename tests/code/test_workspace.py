"""Only files inside the session's workspace, and none that hold secrets."""

from __future__ import annotations

import os
import socket
import threading
from pathlib import Path

import pytest

from memfold.code.tools import smart_outline, smart_unfold
from memfold.code.workspace import READ_BYTES, is_secret, read_source, roots_of
from memfold.errors import InvalidInput
from memfold.records import Caller


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A checkout with a file, beside a file that is none of its business."""
    checkout = tmp_path / "checkout"
    (checkout / ".git").mkdir(parents=True)
    (checkout / "src").mkdir()
    (checkout / "src" / "a.py").write_text("def a(): ...\n")
    (tmp_path / "outside.py").write_text("def outside(): ...\n")
    return checkout


def test_file_inside_is_read(root: Path) -> None:
    for path in ("src/a.py", str(root / "src" / "a.py"), "src/../src/./a.py"):
        assert read_source(path, [str(root)]) == b"def a(): ...\n"


def test_relative_path_starts_where_the_session_works(root: Path) -> None:
    assert read_source("a.py", [str(root)], str(root / "src")) == b"def a(): ...\n"


def test_link_inside_to_a_file_inside_is_followed(root: Path) -> None:
    (root / "b.py").symlink_to("src/a.py")
    assert read_source("b.py", [str(root)]) == b"def a(): ...\n"


def test_workspace_that_is_a_link_itself_is_one(root: Path, tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to(root)
    assert read_source("src/a.py", [str(tmp_path / "link")]) == b"def a(): ...\n"


@pytest.mark.parametrize(
    "path", ["../outside.py", "src/../../outside.py", "out.py", "up/outside.py"]
)
def test_file_outside_is_refused_links_resolved(root: Path, tmp_path: Path, path: str) -> None:
    (root / "out.py").symlink_to(tmp_path / "outside.py")
    (root / "up").symlink_to(tmp_path)
    with pytest.raises(InvalidInput, match="outside the session's workspace"):
        read_source(path, [str(root)])


def test_folder_with_a_longer_name_is_outside(root: Path, tmp_path: Path) -> None:
    other = tmp_path / "checkout-2"
    other.mkdir()
    (other / "a.py").write_text("x = 1\n")
    with pytest.raises(InvalidInput, match="outside"):
        read_source(str(other / "a.py"), [str(root)])


def test_file_swapped_between_look_and_opening_is_refused(
    root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The path of the open file counts, not the one that was looked at."""
    really = os.open

    def swapped(path: Path, flags: int) -> int:
        Path(path).unlink()
        Path(path).symlink_to(tmp_path / "outside.py")
        return really(path, flags)

    monkeypatch.setattr("memfold.code.workspace.os.open", swapped)
    with pytest.raises(InvalidInput, match="outside"):
        read_source("src/a.py", [str(root)])


def test_link_that_is_turned_all_the_time_never_leads_out(root: Path, tmp_path: Path) -> None:
    turning = root / "turning.py"
    turning.symlink_to(root / "src" / "a.py")
    stop = threading.Event()

    def turn() -> None:
        for number in range(100_000):
            if stop.is_set():
                return
            beside = root / f"next-{number % 2}"
            beside.unlink(missing_ok=True)
            beside.symlink_to(tmp_path / "outside.py" if number % 2 else root / "src" / "a.py")
            beside.replace(turning)

    turner = threading.Thread(target=turn)
    turner.start()
    ends = {"read": 0, "refused": 0}
    try:
        for _ in range(2_000):
            try:
                assert read_source("turning.py", [str(root)]) == b"def a(): ...\n"
                ends["read"] += 1
            except InvalidInput:
                ends["refused"] += 1
    finally:
        stop.set()
        turner.join()
    assert ends["read"]
    assert ends["refused"]


def test_other_spelling_of_the_workspace_is_the_same_folder(
    root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """On a disk that takes upper and lower case for one, a folder is known by its identity."""
    (tmp_path / "CHECKOUT").symlink_to(root)
    monkeypatch.setattr(
        "memfold.code.workspace.os.path.realpath", lambda path: str(Path(path).absolute())
    )
    assert read_source(str(root / "src" / "a.py"), [str(tmp_path / "CHECKOUT")])


def test_pipe_is_refused_and_not_waited_for(root: Path) -> None:
    os.mkfifo(root / "pipe.py")
    with pytest.raises(InvalidInput, match="is a pipe"):
        read_source("pipe.py", [str(root)])


def test_socket_directory_and_device_are_refused(root: Path) -> None:
    with socket.socket(socket.AF_UNIX) as listening:
        place = os.open(root, os.O_RDONLY)
        try:
            listening.bind(f"/proc/self/fd/{place}/s.py")
        finally:
            os.close(place)
        for path, word in (("s.py", "socket"), ("src", "directory"), ("/dev/zero", "device")):
            roots = [str(root)] if not path.startswith("/") else None
            with pytest.raises(InvalidInput, match=f"is a {word}"):
                read_source(path, roots)


@pytest.mark.parametrize("path", ["", "a\0b.py", "no-such.py", "src/a.py/b.py", "x" * 5_000])
def test_path_that_leads_nowhere_is_told(root: Path, path: str) -> None:
    with pytest.raises(InvalidInput):
        read_source(path, [str(root)])


def test_link_to_itself_is_told(root: Path) -> None:
    (root / "loop.py").symlink_to(root / "loop.py")
    with pytest.raises(InvalidInput):
        read_source("loop.py", [str(root)])


def test_endless_and_growing_files_are_read_up_to_the_limit(root: Path) -> None:
    with (root / "big.py").open("wb") as big:
        big.truncate(READ_BYTES * 3)
    assert len(read_source("big.py", [str(root)])) == READ_BYTES + 1
    if Path("/proc/kallsyms").exists():
        assert len(read_source("/proc/self/maps", None)) > 0


SECRETS = [
    ".env", ".env.local", "prod.env", ".netrc", ".npmrc", ".pgpass", "id_rsa", "id_ed25519",
    "server.pem", "tls.key", "store.p12", "credentials.json", "secrets.yaml", ".git-credentials",
    "service-account-prod.json", ".ssh/config", ".aws/config", ".ENV", "ID_RSA", ".envrc",
]  # fmt: skip


@pytest.mark.parametrize("name", SECRETS)
def test_file_that_holds_secrets_is_refused_wherever_it_lies(root: Path, name: str) -> None:
    file = root / name
    file.parent.mkdir(exist_ok=True)
    file.write_text("SECRET=1\n")
    (root / "harmless.py").symlink_to(file)
    for roots in ([str(root)], None):
        for path in (name, "harmless.py"):
            with pytest.raises(InvalidInput, match="holds secrets"):
                read_source(path, roots, str(root))


def test_private_key_is_known_by_its_first_line(root: Path) -> None:
    (root / "deploy.json").write_text("-----BEGIN OPENSSH PRIVATE KEY-----\nabc\n")
    with pytest.raises(InvalidInput, match="holds secrets"):
        read_source("deploy.json", [str(root)])


@pytest.mark.parametrize(
    "name", [".env.example", ".env.sample", "environment.py", "key.py", "secrets.py"]
)
def test_file_that_only_sounds_like_it_is_read(name: str) -> None:
    assert not is_secret(name)


def test_workspace_is_the_checkout_that_the_session_works_in(root: Path) -> None:
    assert roots_of(str(root / "src")) == (str(root),)


def test_directory_outside_of_any_checkout_is_its_own_workspace(tmp_path: Path) -> None:
    assert roots_of(str(tmp_path)) == (str(tmp_path),)


def test_home_and_the_root_of_the_disk_are_no_workspace(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    (tmp_path / ".git").mkdir()  # dotfiles kept in git
    (tmp_path / "app").mkdir()
    assert roots_of(str(tmp_path)) == ()
    assert roots_of("/") == ()
    assert roots_of("") == ()
    assert roots_of(str(tmp_path / "app")) == (str(tmp_path / "app"),)


def test_session_without_a_workspace_is_told(root: Path) -> None:
    with pytest.raises(InvalidInput, match="no workspace"):
        read_source(str(root / "src" / "a.py"), ())


def test_tools_keep_to_the_caller_s_workspace(root: Path) -> None:
    caller = Caller(cwd=str(root / "src"))
    assert "def a()" in smart_outline({"file_path": "a.py"}, caller).text
    shown = smart_unfold({"file_path": "a.py", "symbol_name": "a"}, caller)
    assert shown.text.endswith("1\tdef a(): ...")
    for tool in (smart_outline, smart_unfold):
        with pytest.raises(InvalidInput, match="outside"):
            tool({"file_path": "../../outside.py", "symbol_name": "outside"}, caller)


def test_file_in_no_known_language_is_told(root: Path) -> None:
    (root / "notes.xyz").write_text("a\n")
    with pytest.raises(InvalidInput, match="no language that has an outline"):
        smart_outline({"file_path": "notes.xyz"}, Caller(cwd=str(root)))


def test_file_that_grows_while_it_is_read_ends(root: Path) -> None:
    growing = root / "log.py"
    growing.write_bytes(b"x = 1\n")
    stop = threading.Event()

    def grow() -> None:
        with growing.open("ab") as file:
            while not stop.is_set() and file.tell() < 8 * READ_BYTES:
                file.write(b"y = 2\n" * 10_000)

    grower = threading.Thread(target=grow)
    grower.start()
    try:
        for _ in range(20):
            assert read_source("log.py", [str(root)]).startswith(b"x = 1\n")
    finally:
        stop.set()
        grower.join()
    assert len(read_source("log.py", [str(root)])) <= READ_BYTES + 1
