// When to stop, and why: the target is reached, or the budget is spent.

import { el } from "./dom.js";
import { wrongWords } from "./progress.js";
import { number, percent, span, words } from "./words.js";

/** What is said when the target is reached; `goOn` is what the button for going on does. */
export function stopNotice(progress, goOn) {
  return [el("p", {}, el("strong", {}, words.stop), " ", words.stopWhy(wrongWords(progress), number(progress.groups)), " ", nextWords(progress)),
    el("div", { class: "row" }, reviewLink(), exportLink(progress), el("button", { type: "button", click: goOn }, words.goOn))];
}

/** What is said instead of a question when the budget is spent: what was reached with it. */
export function spentNotice(progress) {
  const { budget, groups } = progress;
  const used = budget.questions === null ? words.spentTime(span(budget.seconds)) : words.spentAnswers(number(budget.questions));
  const reached = groups === null ? "" : progress.wrong_expected === null ? words.reachedEarly(number(groups)) : words.reached(wrongWords(progress), number(groups));
  return el("div", { class: "none-left" }, el("h2", {}, words.spent), el("p", {}, used, " ", reached), el("p", {}, leftWords(progress)),
    el("div", { class: "row middle" }, reviewLink(), exportLink(progress)));
}

/** What another hundred questions would bring, and how long they would take this person. */
function nextWords(progress) {
  const { next_fewer: fewer, next_questions: questions, pace_pairs: pace } = progress;
  if (fewer === null) return "";
  const took = pace ? words.wouldTake(span(pace * questions)) : "";
  return Math.round(fewer) ? words.next(number(questions), took, number(fewer)) : words.nextNone(number(questions), took);
}

/** How many questions are left to the target, and how long they take at this pace. */
export function leftWords(progress) {
  const { questions_left: left, questions_at_least: least, pace_pairs: pace, target } = progress;
  const share = percent(target);
  if (progress.reached) return words.targetReached(share);
  if (progress.open_ended) return words.correlated;
  if (progress.doubtful !== null) return words.notRuledOut(number(progress.doubtful));
  const count = left ?? least;
  if (!count) return "";
  const told = left !== null ? words.about(number(left)) : words.atLeastSo(number(least));
  return words.toTarget(told, share, count === 1) + (pace && left !== null ? words.toTargetTime(span(pace * count)) : "");
}

function reviewLink() {
  return el("a", { class: "button", href: "/groups" }, words.review);
}

export function exportLink(progress) {
  return progress.owner ? el("a", { class: "button", href: "/api/export?what=groups&format=csv", download: "groups.csv" }, words.exportGroups) : "";
}
