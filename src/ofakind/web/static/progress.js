// How far it is: answers, whether they are saved, and how many pairs may be wrong.

import { el, svg } from "./dom.js";
import { get } from "./api.js";
import { number, words } from "./words.js";

/** What may be said of wrong pairs: the side or sides that hold. */
export function wrongWords(progress) {
  const { wrong_at_least: low, wrong_at_most: high, wrong_expected: expected, lacking } = progress;
  if (expected === null) return lacking ? words.early(number(lacking)) : words.earlyStill;
  if (high === null) return words.atLeast(number(low ?? 0));
  if (low === null || Math.round(low) === 0 || Math.round(low) === Math.round(high)) return words.atMost(number(high));
  return words.between(number(low), number(high));
}

/** The header of all pages; `show` brings it up to date. */
export class Top {
  constructor(page) {
    this.dot = el("span", { class: "dot", role: "img" });
    this.count = el("span", { class: "count" });
    this.unsaved = el("span", { class: "unsaved", role: "status" });
    this.wrong = el("span", { class: "wrong" });
    this.curve = el("span", { class: "curve" });
    this.name = el("strong");
    this.person = el("span", { class: "person" });
    const link = (path, text) => el("a", { href: path, "aria-current": page === path ? "page" : false }, text);
    this.element = document.getElementById("top");
    this.element.replaceChildren(
      this.name,
      el("span", { class: "saved" }, this.dot, this.count),
      this.unsaved,
      el("span", { class: "belief" }, this.curve, this.wrong),
      el("nav", {}, link("/", words.label), link("/groups", words.groups), this.person),
    );
    this.given = 0; // answers that the server may not have counted yet
    this.progress = null;
    this.unknown = 0;
    this.showSaved(0, null);
  }

  /** Ask the server; null where it does not answer. */
  async refresh() {
    try {
      this.progress = await get("progress");
    } catch {
      return null;
    }
    const found = this.progress;
    this.name.textContent = found.project;
    this.person.textContent = words.person(found.person);
    this.wrong.textContent = wrongWords(found);
    this.curve.replaceChildren(found.wrong_expected === null ? "" : curveOf(found.curve) ?? "");
    this.showCount();
    return found;
  }

  showCount() {
    if (this.progress) this.count.textContent = words.answers(number(this.progress.answers + this.unknown));
  }

  /** Show whether everything is saved: `waiting` things are not, `failure` is why. */
  showSaved(waiting, failure) {
    const state = waiting ? "waiting" : "filled";
    this.dot.className = `dot ${state}`;
    this.dot.setAttribute("aria-label", waiting ? words.saving : words.saved);
    this.dot.title = waiting ? words.saving : words.saved;
    const bad = waiting && (failure || waiting >= 3);
    const text = { 401: words.signedOut, 503: words.moved, 507: words.full }[failure?.status] ?? words.notSaved;
    this.unsaved.textContent = bad ? text(number(waiting)) : "";
  }
}

/** A small curve of wrong pairs, on a scale on which halving is a step; null before there is one. */
function curveOf(points) {
  const values = points.map((one) => Math.log1p(one.open_ended ? one.low : one.high));
  if (values.length < 3) return null;
  const [width, height, top] = [72, 18, Math.max(...values) || 1];
  const last = points[points.length - 1].answers || 1;
  const line = points.map((one, at) => `${(width * one.answers / last).toFixed(1)},${(1 + (height - 2) * (1 - values[at] / top)).toFixed(1)}`);
  const [first, now] = [points[0], points[points.length - 1]].map((one) => number(one.open_ended ? one.low : one.high));
  return svg("svg", { viewBox: `0 0 ${width} ${height}`, width, height, role: "img", "aria-label": words.curve(first, now) },
    svg("polyline", { points: line.join(" "), fill: "none", stroke: "currentColor", "stroke-width": 1.5 }));
}
