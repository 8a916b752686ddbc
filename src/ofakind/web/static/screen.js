// One object above, up to eight others below: which of these are of its kind?

import { el, say } from "./dom.js";
import { parts, signOf, SAME } from "./differences.js";
import { spoken } from "./pair.js";
import { number, words } from "./words.js";

const DIFFERENT = -1, UNSURE = 0, ALIKE = 1;

/** What is on the screen, and what was marked on it; `changed` is called after every mark, `send` by Enter. */
export class ScreenCard {
  constructor(question, { changed, send }) {
    this.question = question;
    this.marks = question.marks?.slice() ?? question.others.map(() => DIFFERENT);
    this.changed = changed;
    this.send = send;
    this.cards = question.others.map((one, at) => this.card(one, at));
    this.element = el("section", { class: "screen", "aria-label": question.object.id },
      el("div", { class: "object" }, ...content(question.object, null)),
      el("p", { class: "quiet" }, words.which),
      el("div", { class: "others", role: "group", "aria-label": words.which }, ...this.cards));
    this.draw();
  }

  card(one, at) {
    const [digit, mark] = [el("kbd", { "aria-hidden": "true" }, String(at + 1)), el("span", { class: "marked" })];
    return el("button", { type: "button", class: "option", "aria-keyshortcuts": String(at + 1), click: () => this.toggle(at),
      keydown: (event) => this.key(event, at), keyup: (event) => { if (event.key === " ") event.preventDefault(); } },
    el("span", { class: "head" }, digit, mark), ...content(one, this.question.object));
  }

  key(event, at) {
    if (event.key !== " " && event.key !== "Enter") return;
    event.preventDefault();
    event.stopPropagation();
    if (event.repeat) return;
    if (event.key === " ") this.set(at, this.marks[at] === UNSURE ? DIFFERENT : UNSURE);
    else this.send();
  }

  /** Mark one as of its kind, or not. */
  toggle(at) {
    if (at < this.marks.length) this.set(at, this.marks[at] === ALIKE ? DIFFERENT : ALIKE);
  }

  set(at, value) {
    this.marks[at] = value;
    this.draw();
    say(`${spoken(this.question.others[at])}: ${wordOf(value)}`);
    this.changed();
  }

  clear() {
    this.marks.fill(DIFFERENT);
    this.draw();
    say(words.cleared);
    this.changed();
  }

  get alike() {
    return this.marks.filter((one) => one === ALIKE).length;
  }

  draw() {
    this.cards.forEach((card, at) => {
      const value = this.marks[at];
      card.setAttribute("aria-pressed", value === ALIKE ? "true" : value === UNSURE ? "mixed" : "false");
      card.querySelector(".marked").textContent = value === ALIKE ? `✓ ${words.ofItsKind}` : value === UNSURE ? `? ${words.unsure}` : "";
    });
  }
}

/** What the button says that sends a screen. */
export function sendWords(card) {
  return card?.alike ? words.sendSome(number(card.alike)) : words.sendNone;
}

function wordOf(value) {
  return value === ALIKE ? words.ofItsKind : value === UNSURE ? words.unsure : words.different;
}

/** An object on a card; what differs from the one above is marked. */
function content(one, above) {
  const found = [];
  if (one.picture) found.push(el("img", { src: `/api/picture/${one.number}`, alt: one.id, draggable: "false" }));
  const rows = one.fields.map(([name, value], row) => [name, value, above ? above.fields[row]?.[1] ?? null : value]).filter(([, value]) => value !== null);
  if (!rows.length && !one.picture) return [el("span", { class: "line" }, one.id)];
  return [...found, ...rows.map(([name, value, other]) => {
    const text = el("span", { class: "text" });
    for (const { text: piece, marked } of other === null ? [{ text: value, marked: false }] : parts(value, other)[0]) text.append(marked ? el("mark", {}, piece) : piece);
    const equal = above && other !== null && signOf(value, other) === SAME;
    return el("span", { class: equal ? "line equal" : "line" }, el("span", { class: "name" }, name), " ", text);
  })];
}
