// Judges, for the owner alone: what each did and cost, how it does against people, and what all of them saved.

import { el } from "./dom.js";
import { wrongWords } from "./progress.js";
import { amount, number, rate, words } from "./words.js";

export class Judges {
  constructor() {
    this.rows = el("tbody");
    this.saved = el("ul", { class: "saved-by-judges" });
    const head = [words.judge, words.scoresOf, words.callsOf, words.costOf, words.missedOf, words.mixedOf, words.flipsOf, words.usedOf];
    this.element = el("section", { class: "by-judges", hidden: true },
      el("h2", {}, words.judges),
      el("div", { class: "wide", tabindex: "0", role: "region", "aria-label": words.judges },
        el("table", { class: "people" }, el("thead", {}, el("tr", {}, ...head.map((text) => el("th", { scope: "col" }, text)))), this.rows)),
      el("p", { class: "quiet" }, words.judgesNote),
      el("h3", {}, words.savedTitle), this.saved);
  }

  show(judges, saved) {
    this.element.hidden = !judges.length;
    this.rows.replaceChildren(...judges.map(row));
    this.saved.replaceChildren(...savedLines(saved).map((line) => el("li", {}, line)));
  }
}

function row(one) {
  const cell = (title, text) => el("td", { "data-title": title }, text);
  const calls = one.failed_calls ? words.withFailed(number(one.calls), number(one.failed_calls)) : number(one.calls);
  return el("tr", {}, el("th", { scope: "row" }, one.name), cell(words.scoresOf, number(one.scores)), cell(words.callsOf, calls),
    cell(words.costOf, cost(one)), cell(words.missedOf, rate(one.errors_on_same)), cell(words.mixedOf, rate(one.errors_on_different)),
    cell(words.flipsOf, rate(one.flips)), cell(words.usedOf, one.in_use ? words.used : words.unused));
}

function cost(one) {
  if (!one.cost && !one.uncertain_cost) return "—";
  const parts = [one.cost_per_score ? words.perScore(amount(one.cost), amount(one.cost_per_score)) : amount(one.cost)];
  if (one.uncertain_cost) parts.push(words.maybePaid(amount(one.uncertain_cost)));
  return parts.join("; ");
}

function savedLines(saved) {
  if (!saved) return [];
  if (saved.verdict !== "estimated") return [words.savedNot[saved.verdict]];
  const wrong = (found) => (found.wrong_expected === null ? words.earlyStill : words.withExpected(wrongWords(found), number(found.wrong_expected)));
  const then = saved.behind ? words.asOf(words.answers(number(saved.answers))) : "";
  return [words.savedWith(wrong(saved.with_judges)), words.savedWithout(then, wrong(saved.without)), way(saved), words.savedEstimate];
}

function way(saved) {
  if (saved.questions === 0) return words.savedAlone;
  if (saved.questions !== null) return words.savedMore(words.about(words.answers(number(saved.questions))));
  return saved.at_least ? words.savedMore(words.atLeastSo(words.answers(number(saved.at_least)))) : words.savedUnknown;
}
