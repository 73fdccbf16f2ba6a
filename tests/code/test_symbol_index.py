"""The index of a tree: what is found is what stands there, whatever happened to the files."""

from __future__ import annotations

import os
import re
import shutil
from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule

from memfold.code.index import words
from memfold.code.index.build import Parsers, Progress, refresh
from memfold.code.index.search import CONTENT_RANK, SymbolSearch
from memfold.code.index.tool import reply
from memfold.store.needs.symbols import SymbolRow, Within
from memfold.store.symbols.sqlite import SqliteSymbols

parsed: list[str] = []


def symbols_of(path: str, data: bytes) -> Sequence[SymbolRow]:
    parsed.append(path)
    lines = data.decode("utf-8", "replace").splitlines()
    found = [(at, re.match(r"(def|class) (\w+)(.*)", line)) for at, line in enumerate(lines, 1)]
    return [SymbolRow(m[2], m[1], at, at, signature=m[0], doc="") for at, m in found if m]


PARSERS = Parsers(
    wanted=lambda path: not path.endswith(".env"),
    language=lambda path: "python" if path.endswith(".py") else "",
    symbols=symbols_of,
    text=lambda data: data.decode("utf-8", "replace"),
)


class Tree:
    def __init__(self, folder: Path) -> None:
        self.root = folder / "tree"
        self.root.mkdir()
        self.index = SqliteSymbols(folder / "symbols.db")

    def write(self, path: str, text: str, at_s: int = 1_700_000_000) -> None:
        file = self.root / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
        os.utime(file, (at_s, at_s))

    def refresh(self) -> list[Progress]:
        parsed.clear()
        return list(refresh(self.index, str(self.root), PARSERS))

    def find(self, query: str, most: int = 20, **within: str) -> list[str]:
        found = SymbolSearch(self.index, str(self.root), PARSERS.text)
        return [
            f"{hit.path}:{hit.line} {hit.symbol.name if hit.symbol else hit.text}"
            for hit in found.find(query, most, Within(**within))
        ]


@pytest.fixture
def tree(tmp_path: Path) -> Iterator[Tree]:
    made = Tree(tmp_path)
    yield made
    made.index.close()


def test_the_best_fit_comes_first(tree: Tree) -> None:
    names = ("run", "Run", "run_all", "dry_run", "brunch", "render_under_nothing")
    tree.write("a.py", "".join(f"def {name}(): pass\n" for name in names))
    tree.write("b.txt", "we run it\n")
    tree.refresh()
    assert [hit.partition(" ")[2] for hit in tree.find("run")] == [
        "run", "Run", "run_all", "dry_run", "brunch", "render_under_nothing", "we run it",
    ]  # fmt: skip
    assert tree.find("drun")[0] == "a.py:4 dry_run"
    assert tree.find("DryRun") == ["a.py:4 dry_run"]
    assert tree.find("run", most=2) == ["a.py:1 run", "a.py:2 Run"]
    assert tree.find("") == []
    assert tree.find("100%_") == []


def test_files_can_be_chosen(tree: Tree) -> None:
    for path in ("src/a.py", "src/deep/b.py", "tests/c.py", "srcs/d.py"):
        tree.write(path, "def pool(): pass\n")
    tree.refresh()
    assert len(tree.find("pool")) == 4
    assert tree.find("pool", under="src") == ["src/a.py:1 pool", "src/deep/b.py:1 pool"]
    assert tree.find("pool", under="src/a.py") == ["src/a.py:1 pool"]
    assert tree.find("pool", pattern="[bc].py") == ["src/deep/b.py:1 pool", "tests/c.py:1 pool"]
    assert tree.find("pool", pattern="tests/*") == ["tests/c.py:1 pool"]


def test_gitignore_is_respected_and_looked_at_again(tree: Tree) -> None:
    tree.write("a.py", "def keep(): pass\n")
    tree.write("out/b.py", "def made(): pass\n")
    tree.write("out/c/keep.py", "def kept(): pass\n")
    tree.write("node_modules/x.py", "def foreign(): pass\n")
    tree.write("secret.env", "def hidden(): pass\n")
    tree.write(".gitignore", "out/*\n!out/c/\n")
    tree.refresh()
    assert tree.find("made") == tree.find("foreign") == tree.find("hidden") == []
    assert tree.find("kept") == ["out/c/keep.py:1 kept"]
    tree.write(".gitignore", "a.py\n", at_s=1_700_000_100)
    tree.refresh()
    assert tree.find("keep") == []
    assert tree.find("made") == ["out/b.py:1 made"]
    tree.write("out/.gitignore", "b.py\n")
    tree.refresh()
    assert tree.find("made") == []


def test_an_unchanged_tree_is_not_parsed_again(tree: Tree) -> None:
    for number in range(250):
        tree.write(f"p{number % 7}/f{number}.py", f"def f{number}(): pass\n")
    steps = tree.refresh()
    assert [(one.done, one.total) for one in steps] == [(100, 250), (200, 250), (250, 250)]
    assert len(parsed) == 250
    (step,) = tree.refresh()
    assert (step.total, step.files, parsed) == (0, 250, [])
    os.utime(tree.root / "p0" / "f0.py")  # touched: read, and known by its bytes
    tree.refresh()
    assert parsed == []
    tree.write("p0/f0.py", "def other(): pass\n")
    tree.refresh()
    assert len(parsed) == 1
    assert tree.find("f0") != ["p0/f0.py:1 f0"]


def test_a_run_that_was_left_goes_on(tree: Tree) -> None:
    for number in range(250):
        tree.write(f"f{number}.py", f"def f{number}(): pass\n")
    steps = refresh(tree.index, str(tree.root), PARSERS)
    next(steps)
    steps.close()
    assert len(tree.index.files(str(tree.root))) == 100
    tree.refresh()
    assert len(parsed) == 150
    assert tree.index.size(str(tree.root)).symbols == 250


def test_links_devices_and_large_files_are_left_alone(tree: Tree, tmp_path: Path) -> None:
    (tmp_path / "out.py").write_text("def outside(): pass\n")
    (tree.root / "link.py").symlink_to(tmp_path / "out.py")
    (tree.root / "up").symlink_to(tmp_path)
    os.mkfifo(tree.root / "pipe.py")
    tree.write("big.py", "def big(): pass\n" + "x" * 1_100_000)
    tree.write("bytes.py", "def binary(): pass\n\0")
    tree.refresh()
    assert tree.find("outside") == tree.find("big") == tree.find("binary") == []
    shutil.rmtree(tree.root)
    tree.refresh()
    assert tree.index.files(str(tree.root)) == {}


def test_no_word_of_a_file_is_kept(tree: Tree) -> None:
    tree.write("notes.txt", "the zanzibarium is closed\n")
    tree.refresh()
    assert tree.find("zanzibarium") == ["notes.txt:1 the zanzibarium is closed"]
    tree.index.close()
    for file in tree.root.parent.glob("symbols.db*"):
        assert b"zanzibarium" not in file.read_bytes()


def test_content_is_behind_every_symbol(tree: Tree) -> None:
    tree.write("a.txt", "pool\n")
    tree.write("z.py", "def a_pool_of(): pass\n")
    tree.refresh()
    found = SymbolSearch(tree.index, str(tree.root), PARSERS.text).find("pool", 9, Within())
    assert [hit.rank == CONTENT_RANK for hit in found] == [False, True]


def test_nothing_found_for_several_words_says_what_to_ask(tree: Tree) -> None:
    tree.write("a.txt", "record it\nrequests\n")
    done = tree.refresh()[-1]
    for query, more in (("record requests", 1), ("nothing", 0)):
        assert tree.find(query) == []
        assert reply(query, (), done).count("ask for fewer") == more


def test_a_damaged_file_is_made_anew(tree: Tree) -> None:
    tree.write("a.py", "def a(): pass\n")
    tree.refresh()
    tree.index.close()
    (tree.root.parent / "symbols.db").write_bytes(b"no database" * 900)
    tree.refresh()
    assert tree.find("a") == ["a.py:1 a"]
    tree.index.clear()
    assert tree.find("a") == []


@given(st.sets(st.text(min_size=1, max_size=12), max_size=300), st.text(min_size=1, max_size=12))
def test_a_word_that_stands_there_is_never_missed(held: set[str], other: str) -> None:
    bits = words.packed(held)
    assert all(words.Asked({word}).may_stand_in(bits) for word in held)
    if not held:
        assert not words.Asked({other}).may_stand_in(bits)


def test_few_words_that_are_not_there_are_found() -> None:
    bits = words.packed({f"word{n}" for n in range(1_000)})
    wrong = sum(words.Asked({f"other{n}"}).may_stand_in(bits) for n in range(2_000))
    assert wrong < 2_000 * 0.06


NAMES = st.sampled_from(["a.py", "b.py", "p/a.py", "p/q/c.py", "p/q/d.py"])


class Changing(RuleBasedStateMachine):
    """Files come, go, move and change between looks; what is found is what stands there."""

    @initialize()
    def begin(self) -> None:
        self.place = Path(os.path.realpath(_folder()))
        self.tree = Tree(self.place)
        self.clock = 1_700_000_000
        self.held: dict[str, str] = {}

    @rule(path=NAMES, name=st.sampled_from(["one", "two", "six"]))
    def write(self, path: str, name: str) -> None:
        self.clock += 1
        self.tree.write(path, f"def {name}(): pass\n", self.clock)
        self.held[path] = name

    @rule(path=NAMES)
    def delete(self, path: str) -> None:
        if self.held.pop(path, None):
            (self.tree.root / path).unlink()

    @rule(path=NAMES, to=NAMES)
    def move(self, path: str, to: str) -> None:
        if path != to and path in self.held:
            (self.tree.root / to).parent.mkdir(parents=True, exist_ok=True)
            (self.tree.root / path).replace(self.tree.root / to)
            self.held[to] = self.held.pop(path)

    @rule()
    def drop_folder(self) -> None:
        shutil.rmtree(self.tree.root / "p", ignore_errors=True)
        self.held = {path: name for path, name in self.held.items() if "/" not in path}

    @invariant()
    def found_is_held(self) -> None:
        if not hasattr(self, "tree"):
            return
        self.tree.refresh()
        for name in ("one", "two", "six"):
            wanted = sorted(f"{path}:1 {name}" for path, held in self.held.items() if held == name)
            assert sorted(self.tree.find(name)) == wanted

    def teardown(self) -> None:
        if hasattr(self, "tree"):
            self.tree.index.close()
            shutil.rmtree(self.place)


def _folder() -> str:
    import tempfile  # the machine has no fixture of its own

    return tempfile.mkdtemp()


TestChanging = Changing.TestCase
TestChanging.settings = settings(max_examples=40, stateful_step_count=12, deadline=None)


def test_an_index_that_another_memfold_made_is_made_anew(tree: Tree, tmp_path: Path) -> None:
    """Outlines get better; a file that did not change would keep what an older one said of it."""
    tree.write("a.py", "def a(): ...\n")
    root = str(tree.root)
    for made_by, is_kept in ((7, False), (7, True), (8, False), (8, True)):
        index = SqliteSymbols(tmp_path / "made.db", partial(int, made_by))
        assert bool(index.files(root)) is is_kept
        for _ in refresh(index, root, PARSERS):
            pass
        assert index.files(root)
        index.close()
