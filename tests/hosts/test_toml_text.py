"""Tables put into a person's TOML and taken out again. The promise: nobody else's bytes move."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memfold.errors import HostFileProblem
from memfold.hosts.edit import Place
from memfold.hosts.toml_text import Document, Table

OURS: dict[Place, Table] = {
    ("mcp_servers", "memfold"): {
        "command": '/opt/it\'s "odd"/py thon',
        "args": ["-I", "-S", "\\back"],
        "required": True,
        "startup_timeout_sec": 20,
    },
    ("hooks", "state", "/home/a b/.codex/hooks.json:stop:0:0"): {"trusted_hash": "sha256:1"},
}
SAMPLES = {
    "commented": '# mine\nmodel = "gpt-5.5"  # keep\n\n[analytics]\nenabled = false\n',
    "crlf": 'model = "x"\r\n\r\n[a]\r\nb = 1\r\n',
    "no_last_line_end": 'model = "x"\n[a]\nb = 1',
    "empty": "",
    "only_a_comment": "# nothing yet\n",
    "foreign_servers": '[mcp_servers.foo]\ncommand = "foo"\nargs = ["a",  "b"]   # odd\n\n'
    '[mcp_servers.foo.env]\nA="b"\n\n[projects."/x y"]\ntrust_level="trusted"\n\n# the end\n',
    "dotted": 'mcp_servers.foo.command = "x"\nmcp_servers.foo.args=[]\n[a]\nb=1\n',
    "foreign_hooks": '[[hooks.SessionStart]]\n[[hooks.SessionStart.hooks]]\ntype="command"\n'
    'command="x"\n\n[tui]\nx=1\n[[hooks.Stop]]\n[[hooks.Stop.hooks]]\ntype="command"\n',
    "foreign_trust": '[hooks.state."/p:stop:0:0"]\ntrusted_hash="sha256:aa"\n[tui]\nx=1\n',
    "bare_parent": "[mcp_servers]\n\n[tui]\nx = 1\n",
    "text_that_looks_like_a_table": 'x = """\n[mcp_servers.memfold]\n"""\n\ty = [\n[1],\n[2]]\n',
    "out_of_order": '[mcp_servers.a]\ncommand="x"\n[tui]\nx=1\n[mcp_servers.b]\ncommand="y"\n',
    "line_separator": 'x = "a\u2028b"\n\n[a]\n# \u2028 here\ny = 1\n',
}


def read(text: str) -> Document:
    return Document.read(Path("config.toml"), text.encode())


def is_ours(place: Place) -> bool:
    return place in OURS


@pytest.mark.parametrize("text", SAMPLES.values(), ids=SAMPLES.keys())
def test_in_and_out_again_gives_the_very_bytes(text: str) -> None:
    """Without the record of what was there: by the tables alone."""
    before = read(text)
    there = before.with_tables(OURS)
    assert there.text.startswith(text)
    for place, table in OURS.items():
        assert there.at(place) == table
    assert there.without(is_ours).text == text


@pytest.mark.parametrize("text", SAMPLES.values(), ids=SAMPLES.keys())
def test_what_was_written_behind_us_stays(text: str) -> None:
    """Codex adds tables of its own at the end of the file."""
    newline = "\r\n" if "\r\n" in text else "\n"
    later = newline.join(["", "# theirs", '[projects."/later"]', 'trust_level = "trusted"', ""])
    there = read(text).with_tables(OURS).text
    closed = there if there.endswith("\n") else there + newline
    left = read(closed + later).without(is_ours).text
    assert left.endswith(later)
    assert left.startswith(text)
    assert "memfold" not in left.removeprefix(text)
    assert tomllib.loads(left) == tomllib.loads(text) | {
        "projects": tomllib.loads(text).get("projects", {}) | {"/later": {"trust_level": "trusted"}}
    }


def test_what_the_host_put_into_our_table_goes_with_it() -> None:
    """Codex keeps approvals in tables below a server's."""
    text = read("a = 1\n").with_tables(OURS).text
    text += '\n[mcp_servers.memfold.tools.mem_search]\napproval_mode = "approve"\n'
    assert read(text).without(is_ours).text == "a = 1\n"


@pytest.mark.parametrize(
    "text",
    [
        'mcp_servers = { foo = { command = "x" } }\n',
        'mcp_servers = "none"\n',
        "[[mcp_servers]]\nx = 1\n",
    ],
)
def test_a_form_that_has_no_room_is_refused_in_one_sentence(text: str) -> None:
    with pytest.raises(HostFileProblem, match="`mcp_servers` in a form") as refused:
        read(text).with_tables(OURS)
    assert "Nothing was changed" in str(refused.value)


@pytest.mark.parametrize(
    ("body", "says"),
    [
        (b"a = \n", "not valid TOML: Invalid value .at line 1"),
        (b"[a]\nb = 1\n[a]\n", "not valid TOML"),
        (b"\xff\xfea", "not UTF-8"),
    ],
)
def test_what_is_no_toml_is_refused_with_its_place(body: bytes, says: str) -> None:
    with pytest.raises(HostFileProblem, match=says):
        Document.read(Path("config.toml"), body)


def test_a_byte_order_mark_stays() -> None:
    before = b"\xef\xbb\xbfmodel = 1\n"
    document = Document.read(Path("config.toml"), before)
    assert document.with_tables(OURS).without(is_ours).body() == before


KEYS = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=12)


@given(KEYS, st.lists(st.text(st.characters(exclude_categories=["Cs"]), max_size=30), max_size=4))
def test_any_name_and_any_text_is_written_so_that_it_reads_the_same(
    name: str, texts: list[str]
) -> None:
    place = ("hooks", "state", name)
    table = {"command": "".join(texts), "args": texts}
    there = read("a = 1\n").with_tables({place: table})
    assert there.at(place) == table
    assert there.without(lambda at: at == place).text == "a = 1\n"
