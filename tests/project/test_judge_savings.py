"""What judges are said to have saved people."""

import zlib

import pytest

import ofakind as ok
from ofakind.cli.judges import judge_lines, saved_document
from ofakind.project.judge_savings import JudgeSavings, Verdict, WrongPairs
from twins.judged_projects import by_kind, new_judged_project, records, tell_the_truth

SCORES, OBJECTS = 900, 60
ESTIMATE = {"together": 1, "with_judges": WrongPairs(4.0, None, 9.0), "n_answers": 60}


def worthless(left, right):
    """A judge that says anything, always the same of a pair."""
    pair = " ".join(sorted((left["id"], right["id"])))
    return 0.9 if zlib.crc32(pair.encode()) % 5 == 0 else -0.9


def saved_by(project):
    return project.judges()[0].saved


@pytest.mark.slow
def test_a_good_judge_is_said_to_save_what_groups_without_it_are_expected_to_have_wrong(tmp_path):
    with new_judged_project(tmp_path / "a.ofk", OBJECTS) as project:
        project.judge(by_kind, SCORES)
        assert saved_by(project).verdict is Verdict.TOO_EARLY
        for _ in range(5):
            tell_the_truth(project, 20)
        found, status = saved_by(project), project.status()
        assert found.verdict is Verdict.ESTIMATED
        assert found.with_judges.expected == status.expected_wrong_pairs
        assert (found.with_judges.at_least, found.with_judges.at_most) == status.limits
        assert found.without.expected > 100 * max(found.with_judges.expected, 1)
        assert found.at_least >= 1
        assert found.n_answers + found.behind == status.n_answers


@pytest.mark.slow
def test_a_worthless_judge_is_never_said_to_save_anything_and_in_the_end_that_it_does_not(tmp_path):
    with new_judged_project(tmp_path / "a.ofk", OBJECTS) as project:
        project.judge(worthless, SCORES)
        verdicts = []
        for _ in range(9):
            tell_the_truth(project, 20)
            verdicts.append(saved_by(project).verdict)
        assert {*verdicts} == {Verdict.TOO_EARLY, Verdict.NOTHING}
        assert verdicts[-1] is Verdict.NOTHING
        assert judge_lines(project.judges())[-1] == ("saved", "nothing now: groups do not go by it")


@pytest.mark.slow
def test_before_people_have_said_anything_it_is_too_early_also_beside_features(tmp_path):
    with ok.new_project(records(20), "id", path=tmp_path / "a.ofk", fields=("name",)) as project:
        project.judge(by_kind, 20)
        assert saved_by(project).verdict is Verdict.TOO_EARLY  # and it is not believed yet


@pytest.mark.slow
def test_looking_at_what_was_saved_changes_no_question_and_it_is_the_same_when_opened_again(tmp_path):
    def play(path, *, looks):
        with new_judged_project(path, 40) as project:
            project.judge(by_kind, 500)
            for _ in range(4):
                tell_the_truth(project, 15)
                if looks:
                    project.judges()
            questions = [(one.left_id, one.right_id) for one in project.ask(15)]
            return questions, saved_by(project)

    asked, saved = play(tmp_path / "a.ofk", looks=True)
    other, _ = play(tmp_path / "b.ofk", looks=False)
    assert asked == other
    assert saved.verdict is Verdict.ESTIMATED
    with ok.open_project(tmp_path / "a.ofk") as project:
        assert saved_by(project) == saved


@pytest.mark.slow
def test_after_something_was_taken_back_it_says_that_it_is_not_known_or_estimates_it_anew(tmp_path):
    with new_judged_project(tmp_path / "a.ofk", OBJECTS) as project:
        project.judge(by_kind, SCORES)
        for _ in range(6):
            tell_the_truth(project, 20)
        assert saved_by(project).behind > 0
        project.undo()
        found = saved_by(project)
        assert found.verdict is Verdict.NOT_KEPT
        assert str(found) == "not known now: what groups would be without it is not kept"


def test_what_is_said_names_both_readings_and_says_that_it_is_an_estimate():
    early = JudgeSavings(Verdict.ESTIMATED, **ESTIMATE, without=WrongPairs(), behind=20, at_least=13)
    assert early.lines == (
        "with it at most 9 wrong pairs (4 expected)",
        "without it (as of 60 answers) too early to say how many pairs are wrong",
        "to get here without it: at least 13 more answers of people (an estimate by the model)",
    )
    two = JudgeSavings(
        Verdict.ESTIMATED, 2, WrongPairs(4.0, None, 9.0), WrongPairs(80.0, 10.0), 60, 0, 300, 120
    )
    assert two.lines == (
        "with them at most 9 wrong pairs (4 expected)",
        "without them at least 10 wrong pairs (80 expected)",
        "to get here without them: about 300 more answers of people, at least 120 (an estimate by the model)",
    )
    done = JudgeSavings(Verdict.ESTIMATED, **ESTIMATE, without=WrongPairs(3.0, None, 8.0), questions=0)
    assert done.lines[-1] == "people's answers alone would do as well by now (an estimate by the model)"
    assert str(JudgeSavings(Verdict.TOO_EARLY, 2)).endswith("whether they are right")


def test_programs_get_it_with_fixed_names(tmp_path):
    with new_judged_project(tmp_path / "a.ofk", 12) as project:
        assert saved_document(project.judges()) is None
        project.judge(by_kind, 40)
        assert saved_document(project.judges()) == {
            "verdict": "too early",
            "wrong_pairs_with": None,
            "wrong_pairs_without": None,
            "answers_without": 0,
            "more_answers_without": {"about": None, "at_least": None},
        }
