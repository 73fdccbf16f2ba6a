"""Words of a question. Source: spec of mem_search, "Mode auto"."""

from __future__ import annotations

from memfold.disclose.search.words import stems, telling, without_stop_words


def test_long_words_match_on_their_first_five_letters() -> None:
    """spec: letters; words of five or more match on their first five."""
    assert stems("renaming") & stems("Renamed")
    assert not stems("sync") & stems("syntax")


def test_identifiers_match_by_their_parts_and_whole() -> None:
    assert stems("validate endpoints") <= stems("ValidateEndpoints failed")
    assert stems("version info") <= stems("cmd/version_info.go")


def test_text_without_blanks_matches_by_pairs() -> None:
    assert stems("測試失敗") & stems("登入測試")


def test_words_that_say_nothing_are_left_out_unless_there_are_no_others() -> None:
    assert telling("why did we rename it?") == stems("rename")
    assert telling("why did we?") == stems("why did we")
    assert without_stop_words("Why did we rename git-sync?") == "rename git-sync?"
    assert without_stop_words("what is this") == ""
