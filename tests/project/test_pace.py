"""How fast somebody answers, and what tells more in a minute."""

import pytest

from ofakind.project.pace import Gains, Pace


def test_seconds_are_medians_of_ones_own_answers(project):
    for pair, took in ((("o0", "o1"), 1000), (("o0", "o2"), 9000), (("o0", "o3"), 2000)):
        project.tell(pair, 1.0, "Ada", milliseconds=took)
    project.tell(("o0", "o4"), 1.0, "Bob", milliseconds=60_000)
    project.tell_screen(("o5", ["o6", "o7"]), [1.0, -1.0], "Ada", milliseconds=5000)
    project.tell_all([("o8", "o9"), ("o8", "o10")], 1.0, "Ada")  # nobody measured how long that took
    pace = project.speed("Ada")
    assert (pace.pairs, pace.screens) == (2.0, 5.0)
    assert (pace.n_pairs, pace.n_screens) == (3, 1)
    assert pace.quicker is None
    assert project.speed("Eve") == Pace(None, None)


def test_a_correction_is_no_answer_whose_time_counts(project):
    event = project.tell(("o0", "o1"), 1.0, "Ada", milliseconds=1000)
    project.correct(event, -1.0)
    assert project.speed("Ada").n_pairs == 1


@pytest.mark.parametrize(("screens", "quicker"), [(5.0, "screens"), (50.0, "pairs")])
def test_what_tells_more_in_a_minute_is_quicker(screens, quicker):
    pace = Pace(2.0, screens, 10, 10, Gains(0.4, 2.0))
    assert pace.pairs_per_minute == pytest.approx(12)
    assert pace.quicker == quicker


def test_of_few_answers_nothing_is_said():
    assert Pace(2.0, 5.0, 4, 10, Gains(0.4, 2.0)).quicker is None
    assert Pace(2.0, 5.0, 10, 10, None).quicker is None


@pytest.mark.slow
def test_a_screen_is_expected_to_tell_more_than_a_pair_and_less_than_as_many(project):
    assert project.gains() is None
    assert not project.uses_screens
    for _ in range(2):
        screen = project.ask_screen(4, "Ada")
        project.tell_screen(screen, [-1.0] * len(screen.other_ids), milliseconds=1000)
    assert project.uses_screens
    gains = project.gains(4)
    assert gains.pair < gains.screen
    assert gains.screen < 4 * 0.7
    assert project.pace("Ada", size=4).gains == gains
