"""Which language a file is in, and the grammar that reads it.

Grammars are packages that hold one shared library each; one is loaded when the first file in its
language is read.
"""

from __future__ import annotations

import ctypes
from dataclasses import dataclass
from functools import cache
from importlib import import_module, resources
from pathlib import PurePath
from typing import TYPE_CHECKING

from memfold.errors import InvalidInput

if TYPE_CHECKING:  # loads a shared library
    from tree_sitter import Language, Query


@dataclass(frozen=True, slots=True)
class Tongue:
    """A language we know."""

    name: str
    extensions: tuple[str, ...]
    package: str = ""  # "" for a file that holds other languages
    function: str = "language"
    query: str = ""  # the query's file name, where it is not the language's own
    files: tuple[str, ...] = ()  # names without an extension that says it
    data: bool = False  # prose or configuration, not code
    part: str = ""  # the function whose grammar reads a part of a file, where it is another


_TONGUES = (
    Tongue("python", ("py", "pyi", "pyw"), "tree_sitter_python"),
    Tongue("javascript", ("js", "mjs", "cjs"), "tree_sitter_javascript"),
    Tongue("jsx", ("jsx",), "tree_sitter_javascript", query="javascript"),
    Tongue("typescript", ("ts", "mts", "cts"), "tree_sitter_typescript", "language_typescript"),
    Tongue("tsx", ("tsx",), "tree_sitter_typescript", "language_tsx", "typescript"),
    Tongue("go", ("go",), "tree_sitter_go"),
    Tongue("rust", ("rs",), "tree_sitter_rust"),
    Tongue("java", ("java",), "tree_sitter_java"),
    Tongue("c", ("c", "h"), "tree_sitter_c"),
    Tongue("cpp", ("cpp", "cc", "cxx", "hpp", "hh", "hxx", "ipp", "inl"), "tree_sitter_cpp"),
    Tongue("csharp", ("cs",), "tree_sitter_c_sharp"),
    Tongue(
        "ruby",
        ("rb", "rake", "gemspec", "ru"),
        "tree_sitter_ruby",
        files=("Rakefile", "Gemfile", "Guardfile"),
    ),
    Tongue("php", ("php", "phtml"), "tree_sitter_php", "language_php", part="language_php_only"),
    Tongue("swift", ("swift",), "tree_sitter_swift"),
    Tongue("kotlin", ("kt", "kts"), "tree_sitter_kotlin"),
    Tongue("scala", ("scala", "sc", "sbt"), "tree_sitter_scala"),
    Tongue("lua", ("lua",), "tree_sitter_lua"),
    Tongue(
        "bash",
        ("sh", "bash", "bats"),
        "tree_sitter_bash",
        files=(".bashrc", ".bash_profile", ".profile"),
    ),
    Tongue("elixir", ("ex", "exs"), "tree_sitter_elixir"),
    Tongue("haskell", ("hs",), "tree_sitter_haskell"),
    Tongue("zig", ("zig", "zon"), "tree_sitter_zig"),
    Tongue("dart", ("dart",), "tree_sitter_dart"),
    Tongue("sql", ("sql",), "tree_sitter_sql"),
    Tongue("vue", ("vue",)),
    Tongue("svelte", ("svelte",)),
    Tongue("css", ("css",), "tree_sitter_css"),
    Tongue("scss", ("scss",), "tree_sitter_scss"),
    Tongue("html", ("html", "htm"), "tree_sitter_html"),
    Tongue("markdown", ("md", "markdown", "mdx"), "tree_sitter_markdown", data=True),
    Tongue("yaml", ("yaml", "yml"), "tree_sitter_yaml", data=True),
    Tongue("toml", ("toml",), "tree_sitter_toml", files=("Cargo.lock", "poetry.lock"), data=True),
    Tongue("json", ("json", "jsonc", "webmanifest"), "tree_sitter_json", data=True),
)
_CAPSULE = b"tree_sitter.Language"  # kept: a capsule does not copy its name
LANGUAGES = {tongue.name: tongue for tongue in _TONGUES}
_BY_EXTENSION = {ext: tongue.name for tongue in _TONGUES for ext in tongue.extensions}
_BY_FILE = {file: tongue.name for tongue in _TONGUES for file in tongue.files}


def language_of(path: str) -> str:
    """The name of the language by the file's name; "" for one we do not know."""
    name = PurePath(path).name
    return _BY_FILE.get(name) or _BY_EXTENSION.get(name.rpartition(".")[2].lower(), "")


def is_code(language: str) -> bool:
    """Whether files in it are code, not prose or configuration."""
    return language in LANGUAGES and not LANGUAGES[language].data


@cache
def grammar(name: str, *, part: bool = False) -> tuple[Language, Query]:
    """The grammar of a file or a ``part`` of one, and the query for symbols.

    Raises InvalidInput where it is not installed.
    """
    import tree_sitter  # 10 ms and a shared library that most daemons' first minutes do not need

    tongue = LANGUAGES[name]
    try:
        package = import_module(tongue.package)
    except ImportError as error:
        raise InvalidInput(
            f"The grammar of {name} is not installed ({tongue.package}).",
            "Install memfold again with all of its dependencies.",
        ) from error
    function = (part and tongue.part) or tongue.function
    language = tree_sitter.Language(_capsule(getattr(package, function)()))
    file = resources.files("memfold.code") / "queries" / f"{tongue.query or tongue.name}.scm"
    return language, tree_sitter.Query(language, file.read_text("utf-8"))


def _capsule(pointer: object) -> object:
    """The grammar's pointer as a capsule. tree-sitter-scss still gives a number."""
    if not isinstance(pointer, int):
        return pointer
    new = ctypes.pythonapi.PyCapsule_New
    new.restype, new.argtypes = (
        ctypes.py_object,
        (ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p),
    )
    return new(pointer, _CAPSULE, None)
