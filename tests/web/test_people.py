"""Tokens: new at each start unless a file has them, and a file that nobody else may read."""

import os
import stat

import pytest

from ofakind.errors import InvalidInputError
from ofakind.web import people
from ofakind.web.people import access_from, new_access


def test_S1_tokens_are_new_at_each_start_and_long():
    one, other = new_access(["Ada", "Bob"]), new_access(["Ada", "Bob"])
    every = [*one.tokens.values(), *other.tokens.values()]
    assert len(set(every)) == 4
    assert min(map(len, every)) >= 43


def test_S1_tokens_are_compared_with_compare_digest(monkeypatch):
    access, compared = new_access(["Ada", "Bob"]), []

    def watched(known, given):
        compared.append(known)
        return known == given

    monkeypatch.setattr(people, "compare_digest", watched)
    assert access.person_of(access.tokens["Ada"]) == "Ada"
    assert len(compared) == 2  # all of them, whichever fits
    assert access.person_of("ümlaut \ud800") is None
    assert access.person_of("") is None


def test_S17_a_token_is_not_in_what_is_printed_of_it():
    access = new_access(["Ada"])
    access.new_code("Ada")
    assert access.tokens["Ada"] not in repr(access)
    assert "once-" not in repr(access)


def test_tokens_of_a_file_stay(tmp_path):
    path = tmp_path / "tokens"
    first = access_from(path, ["Ada"])
    second = access_from(path, ["Ada", "Bob"])
    assert second.tokens["Ada"] == first.tokens["Ada"]
    assert access_from(path, ["Bob"]).tokens["Bob"] == second.tokens["Bob"]


def test_S16_a_file_of_tokens_is_for_its_owner_alone_under_any_umask(tmp_path):
    old = os.umask(0)
    try:
        access_from(tmp_path / "tokens", ["Ada"])
        access_from(tmp_path / "tokens", ["Ada", "Bob"])
    finally:
        os.umask(old)
    assert stat.S_IMODE((tmp_path / "tokens").stat().st_mode) == 0o600


def test_S16_no_link_is_followed_when_the_file_is_made(tmp_path):
    (tmp_path / "tokens").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(InvalidInputError, match="is there already"):
        access_from(tmp_path / "tokens", ["Ada"])
    assert not (tmp_path / "elsewhere").exists()


def test_S16_a_file_that_others_may_read_is_refused(tmp_path):
    access_from(tmp_path / "tokens", ["Ada"])
    (tmp_path / "tokens").chmod(0o640)
    with pytest.raises(InvalidInputError, match="chmod 600"):
        access_from(tmp_path / "tokens", ["Ada"])


@pytest.mark.parametrize("line", ["short Ada", "", "a" * 40 + "! Ada"])
def test_a_line_that_is_no_token_is_refused_with_its_number(tmp_path, line):
    path = tmp_path / "tokens"
    access_from(path, ["Bob"])
    path.write_text(path.read_text() + line + "\n")
    with pytest.raises(InvalidInputError, match="line 2 of"):
        access_from(path, ["Ada"])


@pytest.mark.parametrize("names", [[], ["Ada", "Ada"], ["Ada", ""], ["x" * 201], ["Ada", " Ada "]])
def test_S18_names_are_bounded_and_each_is_there_once(names):
    with pytest.raises(InvalidInputError):
        new_access(names)
