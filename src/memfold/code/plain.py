"""Source without what its grammar cannot read and no symbol is in, every byte in its place.

A parse around an error costs up to ten times one without, and an error hides what follows it.
SQL's grammar knows little of what is PostgreSQL's or MySQL's alone and no commands of psql; SCSS's
knows no maps and no flags; Bash's misreads patterns (tree-sitter-sql 0.3.13, -scss 1.0.0, -bash
0.25.1). C's macros are in macros.py: most the grammar can read, so they are blank only behind an
error.
"""

from __future__ import annotations

import re

# Each part of these patterns takes what it can and gives nothing back: time is as the size.
_SQL = re.compile(
    rb"""
    ^(?:
        \\[^\n]*+  # a command of psql
      | copy\s(?:(?!from\s+stdin\b)[^;\n])*+from[^;\n]*+;\n  # and its rows
        (?:(?!\\\.)[^\n]*+\n)*+(?:\\\.)?
      | /\*!\d[^*]*+\*/;  # of MySQL alone; a `;` by itself is an error
      | (?:
            (?:create(?:\s+or\s+replace)?|alter|drop)\s+
            (?:operator|cast|aggregate|collation|conversion|publication|subscription|server
              |transform|extension|rule|text\s+search|access\s+method|event\s+trigger
              |default\s+privileges|(?:(?:trusted|procedural)\s+)*language|statistics)
          | (?:alter|drop)\s+(?:function|procedure|routine|domain) | drop\s+trigger
          | (?:grant|revoke)\s+(?:all|usage|execute|select|insert|update|delete|create|connect)
          | comment\s+on\s+operator | (?:un)?lock\s+tables | set\s+names
          | pragma(?=\s+[\w.]++\s*+[=(;])
        )\b
        (?:'[^'\n]*+'|--[^\n]*+|[^;'\n-]++|['-]
          |\n(?!(?:create|alter|drop|comment|insert|select)\b))*+;?
    )""",
    re.IGNORECASE | re.MULTILINE | re.VERBOSE,
)
# The second of a C function's two names, which are its file's and its own; a language in quotes.
_SQL_STRINGS = re.compile(
    rb"""
        \bas\s{1,80}'[^'\n]*+'(?P<second>\s{0,80},\s{0,80}'[^'\n]*+')
        (?=\s{0,80}(?:;|(?:language|immutable|stable|volatile|strict)\b))
      | \blanguage\s{1,80}(?P<quoted>'\w{1,80}')
    """,
    re.IGNORECASE | re.VERBOSE,
)
# Each of Bash's patterns is one word.
_BASH = re.compile(
    rb"""
        \(\((?:[^()\n]++|\((?:[^()\n]++|\([^()\n]*+\))*+\))*+\)\)  # arithmetic
      | (?P<match>=~\s++(?:\\\n\s*+)?)(?P<regex>(?!\$)(?:[^\s\\"'`]|\\.|[ \t](?!]]|&&|\|\|))++)
      | (?P<glob>[!@?*+]\((?:[^()\s;&`"'\\]|\\.|\([^()\s;&`"']*+\))++\))
      | \$\{(?P<expansion>(?:[^}"'`$\n]|\$(?!\{))++)\}
      | ^[ \t]*+for[ \t]++\w++(?P<no_list>[ \t])[ \t]*+do\b
    """,
    re.MULTILINE | re.VERBOSE,
)
# Strings, comments and addresses may hold anything. One that is not closed is taken to its end, not
# looked at again.
_SCSS = re.compile(
    rb"""
        "(?:[^"\\\n]++|\\.)*+"? | '(?:[^'\\\n]++|\\.)*+'?
      | /\*(?:[^*]++|\*(?!/))*+(?:\*/)? | //[^\n]*+ | url\([^"'()\n]*+\)
      | (?P<variable>\$[\w-]++\s*+:\s*+) | (?P<bracket>[()]) | (?P<brace>\#?\{) | (?P<end>[;}])
    """,
    re.VERBOSE,
)
_MARKS = re.compile(rb"[^\n]")


def plain_text(source: bytes, language: str) -> bytes:
    """The text as its grammar is given it; as it is where that reads everything."""
    if language == "sql":
        return _SQL_STRINGS.sub(_unquoted, _SQL.sub(lambda found: _blank(found[0]), source))
    if language == "bash":
        return _BASH.sub(_one_word, source)
    return _without_values(source) if language == "scss" else source


def _one_word(found: re.Match[bytes]) -> bytes:
    if found["expansion"]:
        return b"${" + _MARKS.sub(b"_", found["expansion"]) + b"}"
    if found["regex"]:  # `=~` takes less than `==` does
        return b"==" + found["match"][2:] + _MARKS.sub(b"_", found["regex"])
    if found["no_list"]:
        at = found.start("no_list") - found.start()
        return found[0][:at] + b";" + found[0][at + 1 :]
    return _MARKS.sub(b"_", found[0]) if found["glob"] else found[0]


def _unquoted(found: re.Match[bytes]) -> bytes:
    if found["quoted"]:
        return found[0].replace(b"'", b" ")
    return found[0].replace(found["second"], _blank(found["second"]))


def _without_values(source: bytes) -> bytes:
    """SCSS whose variables all are 1: a map may be as long as a file, and holds no symbol.

    As it is where its brackets do not fit: then nothing says where a value ends.
    """
    pieces: list[bytes] = []
    taken = depth = inner = 0
    value = -1  # where the one being read begins
    for found in _SCSS.finditer(source):
        if found["bracket"]:
            depth += 1 if found["bracket"] == b"(" else -1
            if depth < 0:
                return source
        elif depth:
            continue  # what is between brackets has names of its own, and ends nothing
        elif found["variable"]:
            value, inner = found.end(), 0
        elif value >= 0 and found["brace"] == b"#{":
            inner += 1
        elif found["brace"]:
            value = -1  # no `;` before a block: it has no end
        elif value >= 0 and found["end"]:
            if inner and found["end"] == b"}":
                inner -= 1
                continue
            if found.start() > value:
                blank = b"1" + _blank(source[value + 1 : found.start()])
                if found["end"] == b"}" and len(blank) > 1:
                    blank = blank[:-1] + b";"  # the grammar wants one behind the last value too
                pieces += (source[taken:value], blank)
                taken = found.start()
            value = -1
    return source if depth else b"".join([*pieces, source[taken:]])


def _blank(text: bytes) -> bytes:
    return _MARKS.sub(b" ", text)
