"""What a judge is worth, against people."""

import subprocess
import sys

import numpy as np
import pytest

import ofakind as ok
from ofakind.project.people import error_rate
from twins.judged_projects import by_kind, new_judged_project, records

KINDS = {one["id"]: one["kind"] for one in records()}


@pytest.fixture
def project(tmp_path):
    with new_judged_project(tmp_path / "a.ofk") as project:
        yield project


def tell_all(project, wrong=()):
    """People's answers to every pair that was judged, all true but those about some objects."""
    for one in project.judged():
        same = KINDS[one.left_id] == KINDS[one.right_id]
        project.tell((one.left_id, one.right_id), 1.0 if same != bool({*one[:2]} & {*wrong}) else -1.0)


def test_error_rates_are_counted_against_people_with_their_interval(project):
    def lenient(left, right):  # wrong about all pairs of kinds 0 and 1
        return 0.8 if left["kind"] == right["kind"] or {left["kind"], right["kind"]} == {0, 1} else -0.8

    project.judge(lenient, 200)
    tell_all(project)
    (found,) = project.judges()
    pairs = [(KINDS[one.left_id], KINDS[one.right_id]) for one in project.judged()]
    different = [pair for pair in pairs if pair[0] != pair[1]]
    wrong = [pair for pair in different if {*pair} == {0, 1}]
    assert found.n_compared == 200
    assert found.errors_on_same.rate == 0
    assert found.errors_on_different == error_rate(len(wrong), len(different))
    assert 0 < found.errors_on_different.interval[0] < found.errors_on_different.rate
    assert len(found.disagreements) == min(len(wrong), 50)
    assert all(one.score == 0.8 and one.people == -1.0 for one in found.disagreements)


def test_before_ten_answers_of_a_kind_it_is_too_early(project):
    project.judge(by_kind, 100)
    one = project.judged()[0]
    project.tell(one[:2], 1.0)
    (found,) = project.judges()
    assert found.n_compared == 1
    assert found.errors_on_same is found.errors_on_different is found.position is None


def test_undecided_answers_and_scores_are_no_errors(project):
    project.judge(lambda *_: 0.0, 50, name="shrug")
    tell_all(project)
    (found,) = project.judges()
    assert found.n_compared == 0
    assert found.disagreements == ()


def test_what_the_order_does_is_seen_in_pairs_that_came_both_ways(project):
    def biased(left, right):  # says yes where the first one has the larger number
        return 0.5 if int(left["id"][1:]) > int(right["id"][1:]) else -0.3

    project.judge(biased, 300, swap_share=0.5)
    project.judge(by_kind, 300, name="fair", swap_share=0.5)
    judged, fair = project.judges()
    assert judged.position.flips.rate == 1.0
    assert judged.position.flips.answers == 100
    assert fair.position.flips.rate == 0.0
    assert fair.position.shift == 0.0
    both = [one for one in project.judged() if one.judge == "biased" and one.swapped is not None]
    assert judged.position.shift == pytest.approx(np.mean([one.score - one.swapped for one in both]))
    low, high = judged.position.interval
    assert low < judged.position.shift < high


def test_without_judges_nothing_is_said_of_them(project):
    assert project.judges() == []
    assert project.judged() == []


@pytest.mark.slow
def test_a_report_and_a_table_have_what_judges_said(project, tmp_path):
    project.judge(by_kind, 60, name="<b>rule</b>")
    tell_all(project, wrong={"r0", "r1"})
    project.report(tmp_path / "report.html")
    page = (tmp_path / "report.html").read_text()
    assert "<h2 id=judges>Judges</h2>" in page
    assert "Where a judge and people differ" in page
    assert "&lt;b&gt;rule&lt;/b&gt;</bdi> says " in page
    assert "<b>rule" not in page
    rows = project.frame("judged")
    assert len(rows) == 60
    assert {row["people"] for row in rows} == {1.0, -1.0}


@pytest.mark.slow
def test_a_liar_does_not_change_groups_that_answers_decide(tmp_path):
    with new_judged_project(tmp_path / "b.ofk", 24) as project:
        project.judge(lambda left, right: -by_kind(left, right), 250, name="liar")
        ids = list(project.ids)
        for place, one in enumerate(ids):
            for other in ids[:place]:
                project.tell((one, other), 1.0 if KINDS[one] == KINDS[other] else -1.0)
        (found,) = project.judges()
        assert found.errors_on_same.rate == 1.0
        groups = project.groups().values()
        assert sorted(sorted(KINDS[one] for one in members) for members in groups) == sorted(
            [kind] * (5 if kind < 4 else 4) for kind in range(5)
        )


@pytest.mark.slow
def test_a_project_is_opened_without_the_client_of_models(tmp_path):
    ok.new_project(["a", "b"], path=tmp_path / "a.ofk").close()
    path = str(tmp_path / "a.ofk")
    code = "import sys, ofakind as ok; ok.open_project(sys.argv[1]).judges(); print('httpx' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code, path], capture_output=True, text=True)
    assert done.stdout == "False\n", done.stderr
