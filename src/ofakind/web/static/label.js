// One question at a time: keys, buttons, the next ones fetched ahead, what was said in the outbox.

import { get, post } from "./api.js";
import { el, newKey, say } from "./dom.js";
import { leftWords, spentNotice, stopNotice } from "./ending.js";
import { evidenceLines } from "./evidence.js";
import { KeyDialog, keyName, Keys, keyShortcut, plainKey } from "./keys.js";
import { Outbox } from "./outbox.js";
import { pairCard, spoken } from "./pair.js";
import { ScreenCard, sendWords } from "./screen.js";
import { onSwipe } from "./swipe.js";
import { number, span, words } from "./words.js";

const AHEAD = 5; // questions that are here before they are needed
const TOO_FAST = 120; // milliseconds in which nobody can have seen a question
const DOUBLE_CLICK = 350;
const VALUES = { same: 1, different: -1, unsure: 0 };
const GRADES = [-1, -0.5, 0, 0.5, 1]; // keys 1 to 5
const SCREEN = 8, SCREENS_AHEAD = 2;
const HELD = "ofakind-held";
const MODE = "ofakind-mode";

export class Label {
  constructor(main, top) {
    this.main = main;
    this.top = top;
    this.queue = [];
    this.current = null;
    this.done = []; // what can be taken back here, the last one at the end
    this.fetching = false;
    this.empty = false;
    this.wentOn = false;
    this.grades = false;
    this.screens = sessionStorage.getItem(MODE) === "screens"; // or pairs
    this.card = null; // of the screen that is shown
    this.keys = new Keys();
    this.keys.changed = () => this.drawButtons();
    this.build();
    document.addEventListener("keydown", (event) => this.key(event));
  }

  async start(progress) {
    const owner = `${progress.project}-${progress.person}`;
    this.heading.textContent = progress.question;
    this.grades = progress.grades;
    this.drawButtons();
    this.showStanding(progress);
    document.title = `${progress.project} · ofakind`;
    this.outbox = new Outbox(owner, () => this.changed(), (one, refused) => this.refused(one, refused));
    this.changed();
    this.held = this.kept();
    await this.fill();
    if (progress.groups === null || progress.seen_answers !== progress.answers) this.later(2000); // it is still looked at
    setInterval(() => { if (!document.hidden) this.refresh(); }, 15000);
  }

  build() {
    this.heading = el("h1");
    this.noted = el("p", { class: "note", role: "status" });
    this.place = el("div", { class: "place" }, el("p", { class: "quiet" }, words.loading));
    this.field = el("div", { class: "field" }, this.place);
    this.stop = el("div", { class: "stop", hidden: true });
    this.reasons = el("div", { class: "reasons", hidden: true });
    this.buttons = el("div", { class: "buttons" });
    this.more = el("div", { class: "more" });
    this.standing = el("p", { class: "standing quiet" });
    this.dialog = new KeyDialog(this.keys, () => [...(this.grades ? [["1 – 5", words.helpGrades]] : []), ...words.helpScreens]);
    this.offer = el("p", { class: "offer", hidden: true });
    this.drawButtons();
    this.main.replaceChildren(el("div", { class: "asked" }, this.heading, this.noted), this.stop, this.offer, this.field, this.reasons,
      el("div", { class: "bar" }, this.buttons, this.more, el("p", { class: "swipes quiet", "aria-hidden": "true" }, words.swipes), this.standing), this.dialog.element);
    onSwipe(this.field, { right: () => this.answer(1), left: () => this.answer(-1), up: () => this.answer(0) },
      (event) => this.current && !this.card && !event.target.closest(".zoomed, button, a"));
    window.addEventListener("resize", () => this.fit());
  }

  drawButtons() {
    const acts = this.acts();
    const button = (key, name, text, act) => el("button", { type: "button", class: name, "aria-keyshortcuts": keyShortcut(key),
      click: (event) => this.clicked(event, act) }, el("kbd", { "aria-hidden": "true" }, keyName(key)), " ", text);
    const named = (act, name) => button(this.keys.of[act], name, words[act], acts[act]);
    const graded = GRADES.map((value, at) => button(String(at + 1), ["different", "", "unsure", "", "same"][at], words.grades[at], () => this.answer(value)));
    const usual = this.grades ? graded : [named("same", "same"), named("unsure", "unsure"), named("different", "different")];
    const sending = button("Enter", "send", sendWords(this.card), () => this.send());
    this.buttons.classList.toggle("five", this.grades && !this.card);
    this.buttons.classList.toggle("one", Boolean(this.card));
    this.buttons.replaceChildren(...(this.card ? [sending] : usual));
    this.more.replaceChildren(...["undo", "skip", ...(this.card ? [] : ["why"]), "help"].map((act) => named(act, "plain")),
      el("button", { type: "button", class: "plain mode", click: () => this.turn(!this.screens) }, this.screens ? words.toPairs : words.toScreens));
  }

  /** What keys and buttons do. */
  acts() {
    const answers = Object.entries(VALUES).map(([act, value]) => [act, () => this.answer(value)]);
    return { ...Object.fromEntries(answers), undo: () => this.undo(), skip: () => this.skip(), why: () => this.why(), help: () => this.dialog.show() };
  }

  // -- keys and buttons

  key(event) {
    if (event.ctrlKey || event.metaKey || event.altKey || event.repeat || event.isComposing || this.dialog.open) return;
    const key = plainKey(event), focused = document.activeElement;
    if (focused && /^(INPUT|TEXTAREA|SELECT)$/.test(focused.tagName)) return;
    if (key === " " && focused && /^(BUTTON|A|SUMMARY)$/.test(focused.tagName)) return; // it presses that
    const grade = this.grades && /^[1-5]$/.test(key) ? GRADES[Number(key) - 1] : null;
    const act = this.keys.act(key);
    if (this.card) return this.screenKey(event, key, act);
    if (grade === null && !act) return;
    event.preventDefault();
    if (grade === null && !(act in VALUES)) this.acts()[act]();
    else if (performance.now() - this.shownAt > TOO_FAST) this.answer(grade ?? VALUES[act]);
  }

  /** A key while a screen is shown: digits mark, Enter sends, Esc clears. */
  screenKey(event, key, act) {
    const does = /^[1-8]$/.test(key) ? () => this.card.toggle(Number(key) - 1) : key === "Escape" ? () => this.card.clear()
      : key === "Enter" && !/^(BUTTON|A)$/.test(document.activeElement?.tagName) ? () => this.send() : act && !(act in VALUES) ? this.acts()[act] : null;
    if (!does) return;
    event.preventDefault();
    does();
  }

  clicked(event, act) {
    const byPointer = event.detail > 0;
    if (byPointer) event.currentTarget.blur(); // so that Space means unsure again
    if (byPointer && (event.detail > 1 || performance.now() - this.shownAt < DOUBLE_CLICK) && this.current && this.done.length) return;
    act();
  }

  // -- answers

  answer(value) {
    if (!this.current || this.card) return;
    const { key, left, right } = this.current;
    const milliseconds = Math.min(Math.round(performance.now() - this.shownAt), 86400000);
    const body = { key, left: left.number, right: right.number, value, milliseconds };
    this.done.push({ id: key, question: this.current });
    this.top.unknown += 1;
    this.outbox.add({ id: key, path: "answer", body });
    this.advance();
  }

  /** Send what is marked on a screen: an answer for each of the others, as one. */
  send() {
    if (!this.card || performance.now() - this.shownAt < TOO_FAST) return;
    const { key, object, others } = this.current;
    const milliseconds = Math.min(Math.round(performance.now() - this.shownAt), 86400000);
    const values = this.card.marks.slice();
    const body = { key, values, object: object.number, others: others.map((one) => one.number), milliseconds };
    this.done.push({ id: key, question: { ...this.current, marks: values } });
    this.top.unknown += values.length;
    this.outbox.add({ id: key, path: "screen/answer", body, answers: values.length });
    this.advance();
  }

  /** Ask by screens, or by pairs again. Only the person decides that. */
  turn(screens) {
    this.screens = screens;
    sessionStorage.setItem(MODE, screens ? "screens" : "pairs");
    this.keepHeld();
    this.queue = [];
    this.current = this.card = null;
    this.empty = false;
    this.held = this.kept();
    this.place.replaceChildren(el("p", { class: "quiet" }, words.loading));
    this.drawButtons();
    this.fill();
    this.refresh();
  }

  skip() {
    if (!this.current) return;
    const { key, own } = this.current;
    this.done.push({ id: key, question: this.current, skipped: true, own });
    if (!own) this.outbox.add({ id: key, path: "skip", body: { key } });
    this.advance();
  }

  async undo() {
    const last = this.done.pop();
    if (!last) return this.undoEarlier();
    if (!last.own && !this.outbox.takeOut(last.id)) this.outbox.add({ id: `undo-${last.id}`, path: "undo", body: { key: last.id } });
    if (!last.skipped) this.top.unknown -= sizeOf(last.question);
    this.again({ ...last.question, key: newKey(), own: true });
    return undefined;
  }

  /** Take back what was said before this page was opened. */
  async undoEarlier() {
    try {
      const last = await get("last");
      if (!last) return say(words.nothingToUndo), this.note(words.nothingToUndo);
      const undone = await post("undo", { event: last.event });
      if (undone.question) this.again({ ...undone.question, key: newKey(), own: true });
      if (undone.screen) this.again({ ...undone.screen, key: newKey(), own: true, marks: undone.values.length ? undone.values : undefined });
      this.refresh();
    } catch (refused) {
      this.note(refused.passing ? words.nobody : words.refused(refused.message));
    }
    return undefined;
  }

  again(question) {
    if (this.current) this.queue.unshift(this.current);
    this.show(question);
    this.note(words.undone);
    say(words.undone);
  }

  // -- questions

  advance() {
    this.note("");
    const spent = this.left() <= 0, next = spent ? null : this.queue.shift() ?? null;
    if (next) this.show(next);
    else this.showNone();
    this.fill();
    this.later();
  }

  show(question) {
    this.current = question;
    this.reasons.hidden = true;
    const before = Boolean(this.card);
    this.card = question.others ? new ScreenCard(question, { changed: () => this.drawButtons(), send: () => this.send() }) : null;
    this.place.replaceChildren(this.card ? this.card.element : pairCard(question));
    if (this.card || before) this.drawButtons();
    this.buttons.inert = false;
    this.shownAt = performance.now();
    say(this.card ? words.nextScreen(spoken(question.object), number(question.others.length)) : words.next2(spoken(question.left), spoken(question.right)));
    this.keepHeld();
    this.fit();
  }

  /** Where nothing is left to scroll, a finger that goes up is an answer. */
  fit() {
    requestAnimationFrame(() => this.field.classList.toggle("fits", document.documentElement.scrollHeight <= innerHeight + 1));
  }

  showNone() {
    this.current = this.card = null;
    this.buttons.inert = true;
    this.keepHeld();
    if (this.left() <= 0) return this.showSpent();
    if (!this.empty) return this.place.replaceChildren(el("p", { class: "quiet" }, this.unreachable ? words.nobody : words.loading));
    this.place.replaceChildren(el("div", { class: "none-left" }, el("h2", {}, words.noneLeft), el("p", {}, words.noneLeftWhy),
      el("button", { type: "button", click: () => { this.empty = false; this.fill(); } }, words.lookAgain), " ",
      el("a", { class: "button", href: "/groups" }, words.review)));
    return say(words.noneLeft);
  }

  /** How many answers the budget still allows. */
  left() {
    const budget = this.top.progress?.budget;
    if (!budget) return Infinity;
    if (budget.seconds !== null) return budget.spent ? 0 : Infinity;
    return budget.questions - budget.given - this.top.unknown;
  }

  showSpent() {
    this.place.replaceChildren(spentNotice(this.top.progress));
    this.stop.hidden = true;
    say(words.spent);
  }

  async fill() {
    const screens = this.screens, ahead = screens ? SCREENS_AHEAD : AHEAD;
    const room = this.left() - [this.current, ...this.queue].filter(Boolean).reduce((sum, one) => sum + sizeOf(one), 0);
    if (this.fetching || this.empty || this.queue.length >= ahead - 1) return;
    if (room <= 0) return void (this.current || this.showNone());
    this.fetching = true;
    try {
      const held = this.held.slice(0, 40);
      const wanted = screens ? { size: Math.min(SCREEN, room), held } : { n: Math.min(Math.max(AHEAD - this.queue.length, 1), room), held };
      const reply = await post(screens ? "screen" : "next", wanted);
      if (screens !== this.screens) return;
      const found = screens ? [reply.screen].filter(Boolean) : reply.questions;
      this.held = [];
      this.unreachable = false;
      const here = new Set([this.current, ...this.queue].filter(Boolean).map((one) => one.key));
      const done = new Set(this.done.map((one) => one.id));
      const fresh = found.filter((one) => !here.has(one.key) && !done.has(one.key) && !this.outbox.waiting.some((other) => other.id === one.key));
      this.queue.push(...fresh);
      preload(fresh);
      this.empty = !fresh.length && !this.queue.length && !this.current;
      if (!this.current && this.queue.length) this.show(this.queue.shift());
      else if (!this.current) this.showNone();
      this.keepHeld();
    } catch (refused) {
      this.unreachable = true;
      if (!this.current) this.showNone();
      if (refused.passing) setTimeout(() => this.fill(), 1500);
    } finally {
      this.fetching = false;
    }
    if (screens !== this.screens) this.fill();
  }

  /** What is on its way to be answered, so that the same comes again after a reload. */
  keepHeld() {
    const keys = [this.current, ...this.queue].filter((one) => one && !one.own && Boolean(one.others) === this.screens).map((one) => one.key);
    sessionStorage.setItem(this.screens ? `${HELD}-screens` : HELD, JSON.stringify(keys));
  }

  kept() {
    return JSON.parse(sessionStorage.getItem(this.screens ? `${HELD}-screens` : HELD) ?? "[]");
  }

  // -- what is said besides

  changed() {
    if (!this.outbox) return;
    this.top.showSaved(this.outbox.waiting.length, this.outbox.failure);
    this.top.showCount();
  }

  refused(one, refused) {
    const lost = one.path === "answer" ? 1 : one.answers ?? 0;
    this.top.unknown = Math.max(0, this.top.unknown - lost);
    if (lost || refused.status !== 404) this.note(words.refused(refused.message));
  }

  note(text) {
    this.noted.textContent = text;
  }

  later(wait = 1200) {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.refresh(), wait);
  }

  async refresh() {
    if (this.outbox.waiting.length) return this.later();
    const before = this.top.unknown;
    const found = await this.top.refresh();
    if (!found) return undefined;
    this.top.unknown = Math.max(0, this.top.unknown - before);
    this.top.showCount();
    this.showStop(found);
    this.showStanding(found);
    if (this.left() <= 0 && (!this.current || found.budget.seconds !== null)) this.end();
    if (found.seen_answers !== found.answers && !document.hidden) this.later(2000);
    return undefined;
  }

  /** The budget is spent: what is on the screen is left for another time. */
  end() {
    if (this.current) this.queue.unshift(this.current);
    this.showNone();
  }

  /** What is said under the buttons: the budget, questions left, the person's own pace. */
  showStanding(progress) {
    const { budget, pace_pairs: pace } = progress;
    clearTimeout(this.timeUp);
    const rest = budget?.seconds_left ?? null;
    if (rest !== null && rest > 0) this.timeUp = setTimeout(() => this.refresh(), 1000 * rest + 50);
    const parts = [budget ? (rest === null ? words.budgetLeft(number(Math.max(0, this.left())), number(budget.questions)) : words.budgetTime(span(Math.max(1, rest)))) : "",
      leftWords(progress), pace ? words.pace(span(pace)) : ""];
    this.showOffer(progress);
    this.standing.textContent = parts.filter(Boolean).join(" · ") || "\u00a0";
  }

  /** Say in which way this person is quicker, where that is known; they decide. */
  showOffer({ quicker, pace_pairs: pairs, pace_screens: screens }) {
    const better = quicker && (quicker === "screens") !== this.screens;
    this.offer.hidden = !better;
    if (!better) return;
    const told = quicker === "screens" ? words.quickerScreens : words.quickerPairs;
    this.offer.replaceChildren(told(span(pairs), span(screens)), " ",
      el("button", { type: "button", class: "plain", click: () => this.turn(quicker === "screens") }, quicker === "screens" ? words.toScreens : words.toPairs));
  }

  showStop(progress) {
    this.stop.hidden = !progress.reached || this.wentOn || this.left() <= 0;
    if (this.stop.hidden) return;
    this.stop.replaceChildren(...stopNotice(progress, () => { this.wentOn = true; this.stop.hidden = true; }));
  }

  async why() {
    if (!this.current || this.card) return;
    if (!this.reasons.hidden) {
      this.reasons.hidden = true;
      return;
    }
    const asked = this.current;
    this.reasons.replaceChildren("…");
    this.reasons.hidden = false;
    try {
      const found = await get(`evidence?left=${asked.left.number}&right=${asked.right.number}`);
      if (asked !== this.current) return;
      this.reasons.replaceChildren(...evidenceLines(found));
    } catch (refused) {
      this.reasons.hidden = true;
      this.note(refused.passing ? words.nobody : refused.message);
    }
  }
}

function sizeOf(question) {
  return question.others?.length ?? 1;
}

function preload(questions) {
  for (const one of questions.flatMap(({ left, right, object, others }) => [left, right, object, ...(others ?? [])])) {
    if (one?.picture) new Image().src = `/api/picture/${one.number}`;
  }
}
