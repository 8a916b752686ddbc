"""A language model as a judge, against a real server on this machine that misbehaves."""

import json
import threading
import time
from concurrent.futures import CancelledError
from urllib.parse import quote, unquote

import pytest

from ofakind.errors import BudgetSpentError, InvalidInputError, JudgeFailedError, JudgeRefusedError
from ofakind.oracles.judge.model import ModelJudge, ModelOptions
from ofakind.oracles.judge.pacing import RETRY
from ofakind.oracles.judge.prices import TokenPrices
from ofakind.oracles.judge.prompt import PromptOptions
from ofakind.oracles.judge.server import ServerOptions
from ofakind.oracles.judge.spending import CallAllowance, SpendingCap
from twins.chat_server import KEY, Behaviour, all_escaped, chat_server, records_in

ANN, ANNE, BOB = ({"name": name, "kind": kind} for name, kind in (("Ann", 1), ("Anne", 1), ("Bob", 2)))
SCREEN = ((ANN, ANNE), (ANN, BOB))
PRICES = TokenPrices(1.0, 4.0)


@pytest.fixture(autouse=True)
def quick(monkeypatch):
    monkeypatch.setattr("ofakind.oracles.judge.model.delay_before", lambda *_: 0.01)


def judge_at(address, *, key=KEY, timeout=60.0, **options):
    chosen = ModelOptions("small", prices=PRICES, **options)
    return ModelJudge(chosen, PromptOptions("The same person?"), ServerOptions(address, key, timeout))


def ask(address, pairs=SCREEN, cap=None, **options):
    """The scores of a call, and what was spent on it."""
    judge, allowance = judge_at(address, **options), CallAllowance(cap or SpendingCap())
    try:
        return judge.ask(judge.request(pairs), allowance), allowance.cost
    finally:
        judge.close()


def first(*faults):
    """Requests fail in this order, and later ones do not."""
    return lambda number: faults[number] if number < len(faults) else None


def test_one_record_is_compared_with_several_in_a_call_and_tokens_are_those_of_the_server():
    with chat_server() as (address, log):
        reply, cost = ask(address)
    (row,) = log.rows
    assert reply.scores == (1.0, -1.0)
    assert records_in(row["prompt"]) == (ANN, {"1": ANNE, "2": BOB}, True)
    assert row["payload"]["response_format"]["json_schema"]["schema"]["required"] == ["1", "2"]
    assert cost == pytest.approx(log.cost)
    assert cost == pytest.approx(PRICES.price(reply.tokens_in, reply.tokens_out).cost)


def test_the_record_that_pairs_have_in_common_comes_last_where_it_stands_last():
    swapped = tuple((right, left) for left, right in SCREEN)
    with chat_server() as (address, log):
        reply, _ = ask(address, swapped)
    assert reply.scores == (1.0, -1.0)
    assert records_in(log.rows[0]["prompt"]) == (ANN, {"1": ANNE, "2": BOB}, False)


def test_other_orders_models_and_questions_are_other_calls_and_equal_ones_are_equal():
    def digest(pairs, model="a", question="?", address="http://a/v1"):
        options = ServerOptions(address)
        judge = ModelJudge(ModelOptions(model), PromptOptions(question), options)
        return judge.request(pairs).digest

    swapped = tuple((right, left) for left, right in SCREEN)
    every = [digest(SCREEN), digest(swapped), digest(SCREEN, "b"), digest(SCREEN, question="!")]
    every += [digest(SCREEN, address=one) for one in ("http://b/v1", "http://a:81/v1", "https://a/v1")]
    assert len(set(every)) == 7
    for same in ("http://a/v1", "HTTP://A:80/v1/", "http://a/v1/chat/completions"):
        assert digest(SCREEN, address=same) == every[0]


@pytest.mark.parametrize("fault", [429, 500, 503, 504, "drop", "half", "huge", "no JSON", "broken", "schema"])
def test_a_call_that_fails_once_is_made_again(fault):
    with chat_server(Behaviour(fault=first(fault))) as (address, log):
        reply, cost = ask(address)
    assert reply.scores == (1.0, -1.0)
    assert len(log.rows) == 2
    assert log.faults == {fault}
    assert cost >= log.cost - 1e-12  # what may have been paid is counted


@pytest.mark.slow
def test_a_reply_that_does_not_come_in_time_is_asked_for_again():
    with chat_server(Behaviour(fault=first("slow"))) as (address, log):
        reply, cost = ask(address, timeout=1.0)
    assert reply.scores == (1.0, -1.0)
    assert cost >= log.cost > 0


def test_a_refused_attempt_costs_nothing_and_a_lost_one_the_most_that_it_can():
    with chat_server(Behaviour(fault=first(429, 500))) as (address, log):
        _, cost = ask(address)
        assert cost == pytest.approx(log.cost)
    with chat_server(Behaviour(fault=first("drop"))) as (address, log):
        _, cost = ask(address)
        worst = judge_at(address).request(SCREEN).worst.cost
        assert cost == pytest.approx(worst + log.rows[-1]["cost"])


@pytest.mark.parametrize("status", [408, 502, 504, 520, 524])
def test_an_attempt_that_may_have_been_worked_on_counts_with_the_most_that_it_can_cost(status):
    with chat_server(Behaviour(fault=first(status))) as (address, log):
        _, cost = ask(address)
        worst = judge_at(address).request(SCREEN).worst.cost
    assert cost == pytest.approx(worst + log.rows[-1]["cost"])
    assert cost >= log.cost


def test_a_reply_without_usage_counts_with_the_most_that_it_can_cost():
    with chat_server(Behaviour(fault=first("no usage"))) as (address, log):
        _, cost = ask(address)
        assert cost == pytest.approx(judge_at(address).request(SCREEN).worst.cost)
        assert cost > log.cost


HUGE = pytest.param(10**400, id="huge")


@pytest.mark.parametrize("name", ["prompt_tokens", "completion_tokens", "cost"])
@pytest.mark.parametrize("value", [HUGE, 10**10, -1, float("nan"), float("inf"), 1e300])
def test_usage_that_is_no_number_counts_with_the_most_that_the_call_can_cost(name, value):
    with chat_server(Behaviour(fault=lambda _: (name, value))) as (address, _):
        reply, cost = ask(address)
        request = judge_at(address).request(SCREEN)
    assert reply.scores == (1.0, -1.0)
    assert cost == request.worst.cost
    assert (reply.tokens_in, reply.tokens_out) == (request.expected.tokens_in, request.expected.tokens_out)


@pytest.mark.parametrize("name", ["prompt_tokens", "completion_tokens"])
@pytest.mark.parametrize(("times", "counts"), [(2, True), (99, True), (101, False), (100_000, False)])
def test_far_more_tokens_than_were_set_aside_are_not_believed(name, times, counts):
    worst = judge_at("http://127.0.0.1:1/v1").request(SCREEN).worst
    stated = times * (worst.tokens_in if name == "prompt_tokens" else worst.tokens_out)
    with chat_server(Behaviour(fault=lambda _: (name, stated))) as (address, _):
        _, cost = ask(address)
    assert (cost == worst.cost) != counts
    assert (cost > worst.cost) == counts


@pytest.mark.parametrize(("stated", "counts"), [(0.5, True), (None, False), ("0.5", False), (True, False)])
def test_a_cost_that_a_server_states_counts_if_it_is_a_number(stated, counts):
    with chat_server(Behaviour(fault=lambda _: ("cost", stated))) as (address, log):
        _, cost = ask(address)
    assert cost == pytest.approx(0.5 if counts else log.cost)


def test_a_model_that_cannot_be_sent_is_refused():
    with pytest.raises(InvalidInputError, match=r"--model is .* no text in UTF-8"):
        ModelOptions("small\udcff")


@pytest.mark.parametrize("fault", ["broken", "schema"])
def test_a_reply_that_cannot_be_used_is_asked_for_once_more_and_told_what_was_wrong(fault):
    with (
        chat_server(Behaviour(fault=lambda _: fault)) as (address, log),
        pytest.raises(JudgeFailedError, match="could not be used twice"),
    ):
        ask(address)
    assert len(log.rows) == 2
    assert "could not be used" in log.rows[1]["prompt"]
    assert log.rows[1]["prompt"].startswith(log.rows[0]["prompt"])


def test_a_reply_that_was_cut_off_is_not_asked_for_again():
    cut = pytest.raises(JudgeFailedError, match="cut off after 440 tokens; raise --max-tokens")
    with chat_server(Behaviour(fault=lambda _: "cut")) as (address, log), cut:
        ask(address)
    assert len(log.rows) == 1


def test_a_model_that_gives_fractions_is_told_that_whole_numbers_are_expected():
    behaviour = Behaviour(same=lambda *_: 82.0 if len(log.rows) > 1 else 0.82)
    with chat_server(behaviour) as (address, log):
        reply, _ = ask(address)
    assert reply.scores == pytest.approx((0.64, 0.64))
    assert "expected whole numbers from 0 to 100, got 0.82" in log.rows[1]["prompt"]


def chosen(**choice):
    return json.dumps({"choices": [choice]}).encode()


@pytest.mark.parametrize(
    ("came", "words"),
    [
        (b'{"error": {"message": "no model is loaded"}}', "no completion but an error: no model is loaded"),
        (b'{"error": "odd", "choices": []}', "no completion but an error: odd"),
        (b"<html><h1>Welcome", "no completion but this: '<html><h1>Welcome'"),
        (b"data: {}\n\ndata: [DONE]", "but a stream, which was not asked for: 'data: {}"),
        (chosen(message={"content": None, "refusal": "I may not"}), "the model refuses: I may not"),
        (chosen(message={"content": None}, finish_reason="content_filter"), "reason is 'content_filter'"),
        (chosen(message={"content": '{"1": '}, finish_reason="content_filter"), "is 'content_filter'"),
        (chosen(message={"content": ["x"]}, finish_reason="stop"), r"holds ['x'] instead of text"),
        (chosen(message=None), "holds None instead of text"),
        (b"x" * 90 + KEY.encode(), "[key]"),
    ],
)
def test_what_came_instead_of_a_completion_is_said(came, words):
    with (
        chat_server(Behaviour(fault=lambda _: came)) as (address, log),
        pytest.raises(JudgeFailedError) as error,
    ):
        ask(address)
    assert str(error.value).startswith("the reply could not be used twice: ")
    assert words in str(error.value)
    for said in (str(error.value), log.rows[1]["prompt"]):
        assert KEY[:8] not in said


def wrapped(code, message="no"):
    return json.dumps({"error": {"code": code, "message": message}}).encode()


@pytest.mark.parametrize(
    ("fault", "words"),
    [
        (402, "no money or credits left (402"),
        (wrapped(402), "no money or credits left (402: no)"),
        (wrapped("401"), "refuses the key, or the lack of one (401: no)"),
        (wrapped(403), "refuses the key, or the lack of one (403: no)"),
    ],
)
def test_what_no_other_call_can_change_is_final_and_costs_nothing(fault, words):
    cap = SpendingCap()
    with (
        chat_server(Behaviour(fault=lambda _: fault)) as (address, log),
        pytest.raises(JudgeRefusedError) as error,
    ):
        ask(address, cap=cap)
    assert words in str(error.value)
    assert len(log.rows) == 1
    assert cap.spent == 0


@pytest.mark.parametrize(("code", "lost"), [(429, 0), (503, 1), (502, 1)])
def test_an_error_in_a_200_is_waited_for_by_its_code_and_counts_where_work_may_have_been_done(code, lost):
    with chat_server(Behaviour(fault=first(wrapped(code)))) as (address, log):
        reply, cost = ask(address)
        worst = judge_at(address).request(SCREEN).worst.cost
    assert reply.scores == (1.0, -1.0)
    assert log.rows[0]["prompt"] == log.rows[1]["prompt"]
    assert cost == pytest.approx(lost * worst + log.rows[1]["cost"])


@pytest.mark.parametrize(
    "message",
    [
        "maximum context length is 4096 tokens; see max_completion_tokens",
        "the prompt is too long",
        "Too many tokens",
    ],
)
def test_a_call_that_is_too_long_is_said_with_what_makes_it_shorter(message):
    too_long = pytest.raises(JudgeFailedError, match="too long: lower --longest or --per-call")
    with chat_server(Behaviour(fault=lambda _: wrapped(400, message))) as (address, log), too_long:
        ask(address)
    assert len(log.rows) == 1
    with chat_server(Behaviour(fault=lambda _: 413)) as (address, log), too_long:
        ask(address)


def test_a_server_that_never_answers_is_given_up_after_some_attempts():
    with (
        chat_server(Behaviour(fault=lambda _: 500)) as (address, log),
        pytest.raises(JudgeFailedError, match=f"after {RETRY.attempts} attempts"),
    ):
        ask(address)
    assert len(log.rows) == RETRY.attempts


@pytest.mark.parametrize(
    ("refuses", "fits"),
    [
        (("json_schema",), {"response_format": {"type": "json_object"}}),
        (("response_format",), {"max_tokens": 440, "temperature": 0}),
        (('"temperature"',), {"response_format": {"type": "json_object"}}),
    ],
)
def test_a_server_that_does_not_know_a_form_is_asked_in_a_simpler_one(refuses, fits):
    with chat_server(Behaviour(refuses=refuses)) as (address, log):
        judge = judge_at(address)
        for _ in range(2):
            assert judge.ask(judge.request(SCREEN), CallAllowance(SpendingCap())).scores == (1.0, -1.0)
        judge.close()
    taken = log.rows[-1]["payload"]
    assert not any(word in str(taken).replace("'", '"') for word in refuses)
    assert fits.items() <= taken.items() or '"temperature"' in refuses
    assert len(log.paid) == 2
    assert log.rows[-2]["cost"] > 0  # the second call knows from the start


def test_a_wrong_key_address_or_model_is_said_at_once_and_the_key_is_not_shown():
    with chat_server() as (address, log):
        with pytest.raises(JudgeRefusedError, match="refuses the key") as refused:
            ask(address, key="sk-wrong")
        assert "sk-wrong" not in str(refused.value)
        with pytest.raises(JudgeRefusedError, match="404"):
            ask(address + "/elsewhere")
        assert len(log.rows) == 2
    with pytest.raises(JudgeRefusedError, match="nobody answers"):
        ask("http://127.0.0.1:9/v1")


def test_a_key_is_in_one_header_and_in_no_message_or_text():
    options = ServerOptions("http://127.0.0.1:1", KEY)
    assert KEY not in repr(options)
    with (
        chat_server(Behaviour(fault=lambda _: 418)) as (address, log),
        pytest.raises(JudgeFailedError) as error,
    ):
        ask(address)
    assert KEY not in str(error.value)
    assert "[key]" in str(error.value)
    places = [name for name, value in log.rows[0]["headers"].items() if KEY in value]
    assert places == ["Authorization"]
    assert KEY not in str(log.rows[0]["payload"])


def slashed(tree):
    return json.dumps(tree).replace("/", "\\/")


def twice(tree):
    """As a gateway does that hands on what another server said."""
    return slashed({"error": {"message": all_escaped(tree)}})


def quoted(tree):
    return all_escaped({"error": {"message": "x" * 115 + quote(str(tree))}})


@pytest.mark.parametrize("encode", [json.dumps, slashed, all_escaped, twice, quoted])
@pytest.mark.parametrize("key", [KEY, "sk/one+two==", 'a"quote\\and\\\\more', "%2F/%"])
def test_a_key_is_hidden_however_a_server_writes_it(encode, key):
    behaviour = Behaviour(fault=lambda _: 418, encode=encode)
    with chat_server(behaviour) as (address, _), pytest.raises(JudgeFailedError) as error:
        ask(address, key=key)
    said = unquote(str(error.value).replace("\\/", "/"))
    assert key[:5] not in said
    assert "[key]" in said


def test_a_key_that_a_model_says_is_hidden_before_what_it_said_is_cut():
    behaviour = Behaviour(same=lambda *_: "x" * 95 + KEY)
    with chat_server(behaviour) as (address, log), pytest.raises(JudgeFailedError, match="0 to 100") as error:
        ask(address)
    for said in (str(error.value), log.rows[1]["prompt"]):
        assert KEY[:8] not in said
        assert "[key]" in said


def test_a_key_that_is_a_common_text_does_not_spoil_replies():
    with chat_server(Behaviour(wants_key=False)) as (address, _):
        assert ask(address, key="1")[0].scores == (1.0, -1.0)


@pytest.mark.parametrize("address", ["ftp://a", "127.0.0.1:80", "http://u:p@a/v1", "http://a/v1?key=x", ""])
def test_an_address_that_cannot_be_is_refused(address):
    with pytest.raises(InvalidInputError, match="--base-url"):
        ServerOptions(address)


def test_a_key_that_cannot_be_sent_is_refused_and_not_shown():
    with pytest.raises(InvalidInputError, match="not shown") as error:
        ServerOptions("http://a", "two\nlines")
    assert "lines" not in str(error.value)


def test_a_cap_is_kept_although_every_reply_is_lost():
    with chat_server(Behaviour(fault=lambda _: "drop")) as (address, log):
        worst = judge_at(address).request(SCREEN).worst.cost
        cap = SpendingCap(2.5 * worst)
        with pytest.raises(BudgetSpentError):
            ask(address, cap=cap)
    assert len(log.rows) == 2
    assert log.cost <= cap.most


def test_equal_calls_carry_equal_keys_so_that_a_server_may_know_them():
    with chat_server(Behaviour(fault=first("drop"))) as (address, log):
        ask(address)
    one, other = (row["headers"]["Idempotency-Key"] for row in log.rows)
    assert one == other


def test_another_body_carries_another_key_so_that_a_server_that_knows_keys_takes_it():
    with chat_server(Behaviour(fault=first("drop", None, "broken"), knows_keys=True)) as (address, log):
        for max_tokens in (300, 400, 400):
            assert ask(address, max_tokens=max_tokens)[0].scores == (1.0, -1.0)
    keys = [row["headers"]["Idempotency-Key"] for row in log.rows]
    bodies = [json.dumps(row["payload"]) for row in log.rows]
    assert [keys.index(one) for one in keys] == [bodies.index(one) for one in bodies] == [0, 0, 2, 3, 2]


def test_waiting_for_a_busy_server_ends_when_everything_is_to_stop(monkeypatch):
    monkeypatch.setattr("ofakind.oracles.judge.model.delay_before", lambda *_: 60.0)
    cap = SpendingCap()
    with chat_server(Behaviour(fault=lambda _: 503)) as (address, log):
        stopper = threading.Thread(target=lambda: (_until(lambda: log.rows), cap.stop.set()))
        stopper.start()
        with pytest.raises(CancelledError):
            ask(address, cap=cap)
        stopper.join()


def _until(true):
    while not true():
        time.sleep(0.01)
