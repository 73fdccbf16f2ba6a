"""JSON edited as text: one member or item in or out, every other byte as the person left it.

Hosts' settings are edited by hand, so key order, indentation, line ends and comments stay. The
reader here is a little wider than JSON (comments, trailing commas), because hosts differ in what
they accept and we only have to find our place.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, field
from typing import Any

_SPACE = re.compile(r"[ \t\r\n]*")
_COMMENT = re.compile(r"//[^\n]*|/\*.*?\*/", re.DOTALL)
_STRING = re.compile(r'"(?:[^"\\\x00-\x1f]|\\.)*"')
_SCALAR = re.compile(r"true|false|null|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?")
_DEEPEST = 200  # levels; settings files have about six


class NotJson(ValueError):
    """The text is not JSON; the message names line and column."""


@dataclass(slots=True)
class Node:
    """A value and where it stands in the text."""

    start: int
    end: int
    value: Any
    children: list[Child] = field(default_factory=list)  # of an object or array

    def child(self, key: str) -> Node | None:
        """The member of that name; the last one if it is there twice, as hosts read it."""
        found = [child.node for child in self.children if child.key == key]
        return found[-1] if found else None


@dataclass(slots=True)
class Child:
    """A member of an object, or an item of an array (``key`` is None)."""

    start: int  # of the key, or of the item itself
    key: str | None
    node: Node

    @property
    def end(self) -> int:
        return self.node.end


def parse(text: str) -> Node:
    """The whole text as one value. Raises NotJson."""
    reader = _Reader(text)
    node = reader.value(reader.gap(0), 0)
    rest = reader.gap(node.end)
    if rest != len(text):
        raise reader.trouble(rest, "something follows the end of the value")
    return node


class _Reader:
    def __init__(self, text: str) -> None:
        self.text = text

    def trouble(self, at: int, what: str) -> NotJson:
        line = self.text.count("\n", 0, at) + 1
        column = at - (self.text.rfind("\n", 0, at) + 1) + 1
        return NotJson(f"line {line}, column {column}: {what}")

    def gap(self, at: int) -> int:
        """The next place that is neither blank nor comment."""
        while True:
            at = _SPACE.match(self.text, at).end()  # type: ignore[union-attr]  # matches always
            comment = _COMMENT.match(self.text, at)
            if comment is None:
                return at
            at = comment.end()

    def value(self, at: int, depth: int) -> Node:
        if depth > _DEEPEST:
            raise self.trouble(at, "nested too deeply")
        head = self.text[at : at + 1]
        if head in {"{", "["}:
            return self._container(at, depth)
        match = _STRING.match(self.text, at) or _SCALAR.match(self.text, at)
        if match is None:
            raise self.trouble(at, "the text ends too early" if not head else "a value is expected")
        return Node(at, match.end(), self._scalar(at, match.group()))

    def _scalar(self, at: int, raw: str) -> Any:
        try:
            return json.loads(raw)
        except ValueError as error:
            raise self.trouble(at, "a string has a wrong escape") from error

    def _container(self, start: int, depth: int) -> Node:
        is_object = self.text[start] == "{"
        close = "}" if is_object else "]"
        node = Node(start, start, {} if is_object else [])
        at = self.gap(start + 1)
        while self.text[at : at + 1] != close:
            child = self._child(at, is_object, depth)
            node.children.append(child)
            if is_object:
                node.value[child.key] = child.node.value
            else:
                node.value.append(child.node.value)
            at = self.gap(child.end)
            if self.text[at : at + 1] == ",":
                at = self.gap(at + 1)
            elif self.text[at : at + 1] != close:
                raise self.trouble(at, f"a comma or {close} is expected")
        node.end = at + 1
        return node

    def _child(self, at: int, is_object: bool, depth: int) -> Child:
        if not is_object:
            return Child(at, None, self.value(at, depth + 1))
        key = _STRING.match(self.text, at)
        if key is None:
            raise self.trouble(at, "a key in double quotes is expected")
        colon = self.gap(key.end())
        if self.text[colon : colon + 1] != ":":
            raise self.trouble(colon, "a colon is expected")
        name = self._scalar(at, key.group())
        return Child(at, name, self.value(self.gap(colon + 1), depth + 1))


def add(text: str, container: Node, value: Any, key: str | None = None) -> str:
    """``text`` with one more child, last in ``container`` and written in the file's own style."""
    newline = "\r\n" if "\r\n" in text else "\n"
    unit = _indent_unit(text)
    label = "" if key is None else json.dumps(key, ensure_ascii=False) + ": "
    compact = "\n" not in text.strip() and text.strip() != "{}"
    if not container.children and compact:
        inline = label + json.dumps(value, ensure_ascii=False)
        return text[: container.start + 1] + inline + text[container.end - 1 :]
    if not container.children:
        outer = _line_indent(text, container.start)
        body = label + _render(value, unit, outer + unit, newline)
        inside = text[container.start + 1 : container.end - 1].rstrip()  # a comment, or nothing
        filled = f"{inside}{newline}{outer}{unit}{body}{newline}{outer}"
        return text[: container.start + 1] + filled + text[container.end - 1 :]
    last = container.children[-1]
    after_last, comma = last.end, ","
    gap_end = _Reader(text).gap(last.end)
    if text[gap_end] == ",":  # a trailing comma is there already
        after_last, comma = gap_end + 1, ""
    if "\n" not in text[container.start : last.start]:
        inline = label + json.dumps(value, ensure_ascii=False)
        return f"{text[:after_last]}{comma} {inline}{text[after_last:]}"
    indent = _line_indent(text, last.start)
    body = label + _render(value, unit, indent, newline)
    remark = re.compile(r"[ \t]*//[^\r\n]*").match(text, after_last)  # stays on its own line
    place = remark.end() if remark else after_last
    return (
        f"{text[:after_last]}{comma}{text[after_last:place]}{newline}{indent}{body}{text[place:]}"
    )


def remove(text: str, container: Node, index: int) -> str:
    """``text`` without that child, its comma and its line; comments of others stay."""
    child = container.children[index]
    if index + 1 < len(container.children):
        comma = text.index(",", _Reader(text).gap(child.end))
        end = _SPACE.match(text, comma + 1).end()  # type: ignore[union-attr]  # matches always
        return text[: child.start] + text[end:]
    if index == 0:
        head, tail = text[: container.start + 1], text[child.end : container.end - 1]
        inside = text[container.start + 1 : child.start].rstrip() + tail.lstrip(" \t,")
        return head + (inside if inside.strip() else "") + text[container.end - 1 :]
    before = container.children[index - 1]
    between = text[before.end : child.start]
    comma = between.index(",", _Reader(text).gap(before.end) - before.end)
    kept = (between[:comma] + between[comma + 1 :]).rstrip()
    return text[: before.end] + kept + text[child.end :]


def _render(value: Any, unit: str, indent: str, newline: str) -> str:
    lines = json.dumps(value, indent=unit, ensure_ascii=False).split("\n")
    return (newline + indent).join(lines)


def _line_indent(text: str, at: int) -> str:
    start = text.rfind("\n", 0, at) + 1
    return re.compile(r"[ \t]*").match(text, start).group()  # type: ignore[union-attr]


def _indent_unit(text: str) -> str:
    """What one level is indented by: as the first indented line does it, else two blanks."""
    found = re.search(r"\n([ \t]+)\S", text)
    return found.group(1) if found else "  "
