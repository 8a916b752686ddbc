// For the owner alone: who answers, how fast, how well they agree, how often they err; links; judges; results to take away.

import { get, post } from "./api.js";
import { el, say } from "./dom.js";
import { Judges } from "./judges.js";
import { number, rate, span, when, words } from "./words.js";

export class Owner {
  constructor(main, top) {
    this.top = top;
    this.links = new Map(); // that were asked for, by name
    this.note = el("p", { class: "note", role: "status" });
    this.agreement = el("p");
    this.rows = el("tbody");
    this.judges = new Judges();
    this.name = el("input", { type: "text", maxlength: "200", autocomplete: "off", required: true, "aria-label": words.newName, placeholder: words.newName });
    const head = [words.who, words.answersOf, words.paceOf, words.missedOf, words.mixedOf, words.lastOf, words.linkOf];
    main.replaceChildren(el("h1", {}, words.owner), this.agreement,
      el("div", { class: "wide", tabindex: "0", role: "region", "aria-label": words.owner },
        el("table", { class: "people" }, el("thead", {}, el("tr", {}, ...head.map((text) => el("th", { scope: "col" }, text)))), this.rows)),
      el("p", { class: "quiet" }, words.ratesNote),
      el("form", { class: "row", submit: (event) => this.invite(event) }, this.name, el("button", { type: "submit" }, words.invite)), this.note,
      this.judges.element,
      el("h2", {}, words.exports), el("ul", { class: "exports" },
        ...["groups", "answers", "doubtful", "pairs"].map((what) => el("li", {}, el("span", {}, words.tables[what]), ...["csv", "jsonl"].map((format) =>
          el("a", { class: "button", href: `/api/export?what=${what}&format=${format}`, download: `${what}.${format}` }, el("span", { class: "unseen" }, words.tables[what], " "), format.toUpperCase()))))));
  }

  async start(progress) {
    document.title = `${words.owner} · ${progress.project} · ofakind`;
    await this.refresh();
    setInterval(() => { if (!document.hidden) this.refresh(); }, 10000);
  }

  async refresh() {
    try {
      const found = await get("owner");
      this.agreement.textContent = found.agreement === null ? words.noAgreement : words.agreement(number2(found.agreement), number(found.compared));
      this.rows.replaceChildren(...found.people.map((one) => this.row(one)));
      this.judges.show(found.judges, found.saved);
      await this.top.refresh();
    } catch (refused) {
      this.told(refused.passing ? words.nobody : refused.message);
    }
  }

  row(one) {
    const name = words.person(one.name) + (one.owner ? ` (${words.ownerWord})` : "");
    const pace = [one.seconds_per_pair && words.perPair(span(one.seconds_per_pair)), one.seconds_per_screen && words.perScreen(span(one.seconds_per_screen))];
    const cell = (title, ...what) => el("td", { "data-title": title }, ...what);
    return el("tr", {}, el("th", { scope: "row" }, name), cell(words.answersOf, number(one.answers)),
      cell(words.paceOf, pace.filter(Boolean).join(", ") || "—"), cell(words.missedOf, rate(one.errors_on_same)), cell(words.mixedOf, rate(one.errors_on_different)),
      cell(words.lastOf, one.last_at ? when(one.last_at) : "—"), cell(words.linkOf, this.linkOf(one)));
  }

  linkOf(one) {
    if (one.owner) return "—";
    const open = () => this.tried(async () => this.links.set(one.name, (await post("people", { name: one.name })).link));
    if (!one.invited) return el("span", {}, words.out2, " ", el("button", { type: "button", class: "plain", click: open }, words.inviteAgain));
    const link = this.links.get(one.name);
    const revoke = () => this.tried(async () => {
      await post("people/revoke", { name: one.name });
      this.links.delete(one.name);
      this.told(words.revoked(one.name));
    });
    return el("span", { class: "linked" },
      link ? el("input", { type: "text", readonly: true, value: link, "aria-label": words.linkFor(one.name), focus: (event) => event.target.select() })
        : el("button", { type: "button", class: "plain", "aria-label": words.linkFor(one.name), click: open }, words.showLink), " ",
      el("button", { type: "button", class: "plain", "aria-label": words.revokeOf(one.name), click: revoke }, words.revoke));
  }

  async invite(event) {
    event.preventDefault();
    const name = this.name.value.trim();
    if (!name) return;
    await this.tried(async () => {
      const found = await post("people", { name });
      this.links.set(found.name, found.link);
      this.name.value = "";
      this.told(words.invited(found.name));
    });
  }

  async tried(act) {
    try {
      await act();
      await this.refresh();
    } catch (refused) {
      this.told(refused.passing ? words.nobody : refused.message);
    }
  }

  told(text) {
    this.note.textContent = text;
    say(text);
  }
}

function number2(value) {
  return new Intl.NumberFormat(document.documentElement.lang, { maximumFractionDigits: 2 }).format(value);
}
