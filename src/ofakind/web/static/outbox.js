// What was said and is not known to be saved yet. It is kept in the browser until the server says so, in order,
// and sent again as often as it takes: the server takes the same thing under the same key only once.

import { newKey } from "./dom.js";
import { post } from "./api.js";

const FIRST_WAIT = 400;
const LONGEST_WAIT = 4000;

export class Outbox {
  /** `changed` is called whenever there is something new to show, `dropped` with what the server refused. */
  constructor(owner, changed, dropped) {
    this.prefix = `ofakind-outbox-${owner}-`;
    this.own = this.prefix + (sessionStorage.getItem("ofakind-tab") ?? newKey());
    sessionStorage.setItem("ofakind-tab", this.own.slice(this.prefix.length));
    this.changed = changed;
    this.dropped = dropped;
    this.failure = null;
    this.sent = new Set(); // what was tried at least once
    this.waiting = this.#found();
    this.#keep();
    this.wait = FIRST_WAIT;
    this.running = false;
    window.addEventListener("online", () => this.flush());
    this.flush();
  }

  /** Add something to be sent: { path, body, id }. */
  add(one) {
    this.waiting.push(one);
    this.#keep();
    this.changed();
    this.flush();
  }

  /** Take something out that was never sent; false if it may have been. */
  takeOut(id) {
    const place = this.waiting.findIndex((one) => one.id === id);
    if (place < 0 || this.sent.has(id)) return false;
    this.waiting.splice(place, 1);
    this.#keep();
    this.changed();
    return true;
  }

  /** Send what is waiting, one after the other. */
  async flush() {
    clearTimeout(this.timer);
    if (this.running) return;
    this.running = true;
    while (this.waiting.length) {
      const one = this.waiting[0];
      this.sent.add(one.id);
      try {
        await post(one.path, one.body);
      } catch (refused) {
        if (refused.passing) {
          this.failure = refused;
          break;
        }
        this.dropped(one, refused);
      }
      this.failure = null;
      this.wait = FIRST_WAIT;
      this.waiting.shift();
      this.#keep();
      this.changed();
    }
    this.running = false;
    if (this.waiting.length) {
      this.timer = setTimeout(() => this.flush(), this.wait);
      this.wait = Math.min(2 * this.wait, LONGEST_WAIT);
      this.changed();
    }
  }

  /** What this page, or one before it, had not sent; of another page, too: twice does no harm. */
  #found() {
    const names = Object.keys(localStorage).filter((name) => name.startsWith(this.prefix));
    const found = names.sort((a) => (a === this.own ? 1 : -1)).flatMap((name) => {
      try {
        return JSON.parse(localStorage.getItem(name)) ?? [];
      } catch {
        return [];
      }
    });
    return found.filter((one) => one && one.path && one.body && one.id);
  }

  #keep() {
    try {
      if (this.waiting.length) localStorage.setItem(this.own, JSON.stringify(this.waiting));
      else localStorage.removeItem(this.own);
      for (const name of Object.keys(localStorage)) {
        if (name.startsWith(this.prefix) && name !== this.own && !this.waiting.length) localStorage.removeItem(name);
      }
    } catch {
      // the browser keeps nothing; it is still sent while the page is open
    }
  }
}
