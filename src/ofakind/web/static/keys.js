// Which key does what: the usual ones, or those that somebody chose in this browser. And a dialog to choose them.

import { el, say } from "./dom.js";
import { words } from "./words.js";

const KEPT = "ofakind-keys";
export const USUAL = { same: "s", different: "d", unsure: " ", skip: "k", undo: "z", why: "w", help: "?" };
const ACTS = Object.keys(USUAL);
const ARROWS = { ArrowLeft: "←", ArrowRight: "→", ArrowUp: "↑", ArrowDown: "↓" };
const TAKEN = /^[0-9]$/; // grades and the cards of a screen

/** A key as it stands in the list of keys, whatever the state of Shift and Caps Lock. */
export function plainKey(event) {
  return event.key.length === 1 ? event.key.toLowerCase() : event.key;
}

/** A key as people call it. */
export function keyName(key) {
  return key === " " ? words.space : ARROWS[key] ?? (key.length === 1 ? key.toUpperCase() : key);
}

/** The same as aria-keyshortcuts wants it. */
export function keyShortcut(key) {
  return key === " " ? "Space" : key.length === 1 ? key.toUpperCase() : key;
}

export class Keys {
  constructor() {
    this.of = { ...USUAL, ...read() };
    this.changed = () => {};
  }

  /** What a key does, null if nothing. */
  act(key) {
    return ACTS.find((act) => this.of[act] === key) ?? null;
  }

  /** Why a key cannot be had for something; "" if it can. */
  refusal(act, key) {
    if (key.length !== 1 && !(key in ARROWS)) return words.keyNotThis;
    if (TAKEN.test(key)) return words.keyDigit;
    const other = this.act(key);
    return other && other !== act ? words.keyTaken(keyName(key), words.acts[other]) : "";
  }

  set(act, key) {
    this.of[act] = key;
    this.#keep();
  }

  reset() {
    this.of = { ...USUAL };
    this.#keep();
  }

  #keep() {
    try {
      localStorage.setItem(KEPT, JSON.stringify(this.of));
    } catch {
      // the browser keeps nothing; it holds while the page is open
    }
    this.changed();
  }
}

function read() {
  try {
    const found = JSON.parse(localStorage.getItem(KEPT) ?? "{}");
    const known = Object.entries(found).filter(([act, key]) => act in USUAL && typeof key === "string");
    const every = { ...USUAL, ...Object.fromEntries(known) };
    return new Set(Object.values(every)).size === ACTS.length ? every : {};
  } catch {
    return {};
  }
}

/** The dialog with all keys: to look at, and to change. `extra` are lines of keys that stay as they are. */
export class KeyDialog {
  constructor(keys, extra) {
    this.keys = keys;
    this.extra = extra;
    this.choosing = null;
    this.list = el("dl");
    this.told = el("p", { class: "note", role: "status" });
    this.element = el("dialog", { "aria-labelledby": "keys", keydown: (event) => this.key(event), close: () => this.choose(null) },
      el("h2", { id: "keys" }, words.helpTitle), this.list, this.told,
      el("p", { class: "quiet" }, words.helpText),
      el("div", { class: "row" },
        el("button", { type: "button", click: () => this.element.close() }, words.close),
        el("button", { type: "button", class: "plain", click: () => this.reset() }, words.keysReset)));
    this.draw();
  }

  get open() {
    return this.element.open;
  }

  show() {
    this.told.textContent = "";
    this.draw();
    this.element.showModal();
  }

  draw() {
    const rows = ACTS.map((act) => [
      el("dt", {}, el("kbd", {}, this.choosing === act ? "…" : keyName(this.keys.of[act]))),
      el("dd", {}, el("span", {}, words.helpOf[act]), " ", el("button", { type: "button", class: "plain", "data-act": act,
        "aria-label": this.choosing === act ? null : words.keyChangeOf(words.acts[act]), "aria-pressed": this.choosing === act ? "true" : "false",
        click: () => this.choose(act) }, this.choosing === act ? words.keyPress : words.keyChange))]);
    const fixed = this.extra().map(([key, text]) => [el("dt", {}, el("kbd", {}, key)), el("dd", {}, text)]);
    this.list.replaceChildren(...[...rows, ...fixed].flat());
  }

  choose(act) {
    this.choosing = act;
    this.draw();
    if (act) this.list.querySelector(`[data-act=${act}]`).focus();
  }

  key(event) {
    const key = plainKey(event);
    if (!this.choosing) {
      if (key === this.keys.of.help) this.element.close(), event.preventDefault();
      event.stopPropagation();
      return;
    }
    event.stopPropagation();
    if (key === "Tab" || key === "Shift") return;
    event.preventDefault();
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const act = this.choosing, refused = key === "Escape" ? words.keyLeft : this.keys.refusal(act, key);
    if (!refused) this.keys.set(act, key);
    this.choose(refused && key !== "Escape" ? act : null);
    this.list.querySelector(`[data-act=${act}]`).focus();
    this.told.textContent = refused || words.keySet(keyName(key), words.acts[act]);
    say(this.told.textContent);
  }

  reset() {
    this.keys.reset();
    this.choose(null);
    this.told.textContent = words.keysAsBefore;
  }
}
