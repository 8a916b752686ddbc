// Groups as cards, doubtful ones first; one opened as a grid; what is said of them can be taken back.

import { get, post } from "./api.js";
import { el, newKey, say } from "./dom.js";
import { evidenceLines } from "./evidence.js";
import { spoken } from "./pair.js";
import { number, words } from "./words.js";

const PAGE = 30;

export class Groups {
  constructor(main, top) {
    this.main = main;
    this.top = top;
    this.chosen = new Map(); // groups or members that are selected
    this.search = el("input", { type: "search", placeholder: words.search, "aria-label": words.search, input: () => this.typed() });
    this.found = el("span", { class: "quiet", role: "status" });
    this.tray = el("ol", { class: "tray", "aria-label": words.undo });
    this.place = el("div");
    this.note = el("p", { class: "note", role: "alert", hidden: true });
    main.replaceChildren(el("h1", {}, words.groups), this.tray, this.note, this.place);
    window.addEventListener("popstate", () => this.route());
  }

  async start(progress) {
    document.title = `${words.groups} · ${progress.project} · ofakind`;
    await this.route();
  }

  async route() {
    const open = /^#(\d+)$/.exec(location.hash);
    await this.tried(() => (open ? this.open(Number(open[1])) : this.list()));
  }

  async tried(act) {
    this.note.hidden = true;
    try {
      await act();
    } catch (refused) {
      this.note.textContent = refused.passing ? words.nobody : refused.message;
      this.note.hidden = false;
    }
  }

  // -- all groups

  typed() {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.tried(() => this.list()), 200);
  }

  async list() {
    this.chosen.clear();
    this.cards = el("div", { class: "cards" });
    this.actions = el("div", { class: "actions" });
    this.moreButton = el("button", { type: "button", hidden: true, click: () => this.tried(() => this.page()) }, words.moreGroups);
    this.shown = 0;
    if (!this.search.isConnected) {
      this.place.replaceChildren(el("div", { class: "find" }, this.search, this.found, this.merging = el("span")), this.listed = el("div"));
    }
    this.merging.replaceChildren(this.actions);
    this.listed.replaceChildren(this.cards, this.moreButton);
    await this.page();
  }

  async page() {
    const query = new URLSearchParams({ search: this.search.value, offset: String(this.shown), limit: String(PAGE) });
    const cards = this.cards;
    const found = await get(`groups?${query}`);
    if (cards !== this.cards) return;
    this.shown += found.groups.length;
    this.found.textContent = found.found ? words.found(number(found.found)) : words.noGroups;
    cards.append(...found.groups.map((group) => this.card(group)));
    this.moreButton.hidden = this.shown >= found.found;
  }

  card(group) {
    const doubt = { merge: words.mayBeOne, apart: words.mayBeTwo }[group.doubt];
    const tick = el("input", { type: "checkbox", "aria-label": words.select(group.name), change: () => {
      if (tick.checked) this.chosen.set(group.group, group);
      else this.chosen.delete(group.group);
      this.offerMerge();
    } });
    const link = el("a", { href: `#${group.group}`, click: (event) => { event.preventDefault(); this.go(`#${group.group}`); } }, group.name || group.members[0].id);
    return el("article", { class: "card" }, el("h2", {}, tick, link),
      el("p", { class: "quiet" }, words.members(number(group.size)), doubt ? el("span", { class: "doubt" }, ` · ${doubt}`) : ""),
      el("ul", { class: "faces" }, ...group.members.map((one) => el("li", {}, face(one)))));
  }

  go(hash) {
    history.pushState(null, "", hash || "/groups");
    this.route();
  }

  offerMerge() {
    const two = [...this.chosen.values()];
    this.actions.replaceChildren(two.length < 2 ? "" : this.certainly(
      el("button", { type: "button", click: () => this.decide(words.mergeTwo, two.slice(1).map((one) => [two[0].members[0].number, one.members[0].number]), true) }, words.mergeTwo)));
  }

  // -- one group

  async open(which) {
    const group = await get(`groups/${which}`);
    const other = group.other === null ? null : await get(`groups/${group.other}`).catch(() => null);
    this.chosen.clear();
    this.reasons = el("div", { class: "reasons", hidden: true });
    this.actions = el("div", { class: "actions" });
    const grid = el("div", { class: "grid" }, ...group.members.map((one) => this.member(one, group)));
    const back = el("button", { type: "button", class: "plain", click: () => this.go("") }, `← ${words.back}`);
    this.place.replaceChildren(back, el("h2", {}, group.name), el("p", { class: "quiet" }, words.members(number(group.size))), this.actions, this.reasons, grid);
    if (other) {
      const merge = () => this.decide(words.mergeTwo, [[group.members[0].number, other.members[0].number]], true);
      this.place.append(el("h2", {}, words.showOther(other.name)), el("div", { class: "grid" }, ...other.members.slice(0, 12).map((one) => el("div", { class: "member" }, face(one)))),
        el("p", {}, el("button", { type: "button", click: merge }, words.mergeWith(other.name))));
    }
    this.offer(group);
  }

  member(one, group) {
    const tick = el("input", { type: "checkbox", "aria-label": words.select(one.id), change: () => {
      if (tick.checked) this.chosen.set(one.number, one);
      else this.chosen.delete(one.number);
      this.offer(group);
    } });
    return el("label", { class: "member" }, tick, face(one));
  }

  offer(group) {
    const members = group.members, chosen = [...this.chosen.values()];
    const buttons = [];
    const button = (text, act) => buttons.push(el("button", { type: "button", click: act }, text));
    const star = (face, others) => others.map((one) => [face.number, one.number]);
    if (!chosen.length && members.length > 1) button(words.allSame, () => this.decide(words.allSame, star(members[0], members.slice(1)), true));
    const staying = members.filter((one) => !this.chosen.has(one.number));
    if (chosen.length && staying.length) button(words.out, () => this.decide(words.out, star(staying[0], chosen), false));
    if (chosen.length > 1) button(words.merge, () => this.decide(words.merge, star(chosen[0], chosen.slice(1)), true));
    if (chosen.length === 2) button(words.whyTogether, () => this.tried(() => this.why(chosen)));
    this.actions.replaceChildren(buttons.length ? this.certainly(...buttons) : "");
  }

  certainly(...buttons) {
    this.certain = el("input", { type: "checkbox" });
    return el("span", {}, ...buttons.flatMap((one) => [one, " "]), el("label", {}, this.certain, words.certain));
  }

  async why([left, right]) {
    const found = await get(`evidence?left=${left.number}&right=${right.number}`);
    this.reasons.replaceChildren(...evidenceLines(found));
    this.reasons.hidden = false;
  }

  // -- what is said

  async decide(what, pairs, same) {
    const body = { key: newKey(), pairs, same, certain: this.certain.checked };
    await this.tried(async () => {
      const saved = await post("decide", body);
      this.keep(what, pairs.length, saved.event);
      say(what);
      await this.top.refresh();
      if (!same || location.hash) this.go("");
      else await this.list();
    });
  }

  keep(what, count, event) {
    const undo = el("button", { type: "button", class: "plain", click: () => this.tried(async () => {
      await post("undo", { event });
      line.remove();
      await this.top.refresh();
      await this.route();
    }) }, words.undo);
    const line = el("li", {}, words.done(what, number(count)), " ", undo);
    this.tray.prepend(line);
  }
}

/** An object as it is recognised at a glance. */
function face(one) {
  if (one.picture) return el("img", { src: `/api/picture/${one.number}`, alt: one.id, loading: "lazy" });
  const more = one.fields.map(([, value]) => value).filter((value) => value !== null).slice(1, 4).join(" · ");
  return el("span", { class: "face" }, el("span", {}, spoken(one)), more ? el("span", { class: "quiet" }, more.slice(0, 120)) : "");
}
