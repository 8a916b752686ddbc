// The map: objects as points, groups as heaps of a colour; move, zoom, point, search, open.

import { get } from "./api.js";
import { el, say } from "./dom.js";
import { spoken } from "./pair.js";
import { Painter, Points, View } from "./points.js";
import { number, words } from "./words.js";

const COLOURS = 8; // with that of objects alone, which comes first
const REACH = 12; // CSS pixels around a pointer in which an object is meant
const STEP = 1.4; // of a zoom by key or button
const AGAIN = 4000; // milliseconds after which it is asked whether the map has changed,
const SOON = 700; // and while there is none, or none with groups
const KEPT = "ofakind-map";

export class MapPage {
  constructor(main, top) {
    this.main = main;
    this.top = top;
    this.view = new View();
    this.painter = new Painter();
    this.points = null;
    this.asOf = null;
    this.lit = null; // what a search has found, a flag for each object
    this.chosen = -1;
    this.pointers = new Map();
    this.known = new Map(); // objects that were looked at
    this.build();
    this.listen();
  }

  async start(progress) {
    document.title = `${words.map} · ${progress.project} · ofakind`;
    await this.fetch();
  }

  build() {
    const swatch = (name) => el("span", { class: `swatch ${name}`, "aria-hidden": "true" });
    const button = (text, name, act) => el("button", { type: "button", "aria-label": name, title: name, click: act }, text);
    this.swatches = Array.from({ length: COLOURS }, (_, at) => swatch(`map-${at}`));
    this.search = el("input", { type: "search", placeholder: words.search, "aria-label": words.search, input: () => this.typed() });
    this.found = el("span", { class: "quiet", role: "status" });
    this.summary = el("p", { class: "quiet map-summary" }, words.mapWaiting);
    this.canvas = el("canvas", { tabindex: "0", role: "img", "aria-label": words.mapCanvas(words.mapKeys) });
    this.context = this.canvas.getContext("2d", { alpha: false });
    this.card = el("div", { class: "map-card", hidden: true });
    this.ring = swatch("doubtful");
    this.frame = el("div", { class: "map-frame" }, this.canvas, this.card, el("div", { class: "map-buttons" },
      button("+", words.mapIn, () => this.zoom(STEP)), button("−", words.mapOut, () => this.zoom(1 / STEP)), button("⤢", words.mapAll, () => this.whole())));
    const legend = el("p", { class: "legend quiet" }, el("span", {}, ...this.swatches.slice(1), " ", words.mapGroup),
      el("span", {}, this.swatches[0], " ", words.mapAlone), el("span", {}, this.ring, " ", words.mapDoubtful));
    this.main.classList.add("wide");
    this.main.replaceChildren(el("h1", { class: "unseen" }, words.map),
      el("div", { class: "find" }, this.search, this.found, this.summary, el("a", { class: "map-list", href: "/groups" }, words.mapList)), this.frame, legend);
  }

  listen() {
    const canvas = this.canvas;
    canvas.addEventListener("wheel", (event) => {
      event.preventDefault();
      this.zoom(Math.exp(-Math.max(-200, Math.min(event.deltaY, 200)) / 400), event.offsetX, event.offsetY);
    }, { passive: false });
    canvas.addEventListener("pointerdown", (event) => this.down(event));
    canvas.addEventListener("pointermove", (event) => this.move(event));
    for (const kind of ["pointerup", "pointercancel"]) canvas.addEventListener(kind, (event) => this.up(event));
    canvas.addEventListener("pointerleave", () => { if (!this.pinned) this.choose(-1); });
    canvas.addEventListener("keydown", (event) => this.key(event));
    new ResizeObserver(() => this.resize()).observe(this.frame);
    for (const query of ["(prefers-color-scheme: dark)", "(prefers-contrast: more)"]) {
      matchMedia(query).addEventListener("change", () => this.dress());
    }
    document.addEventListener("visibilitychange", () => { if (!document.hidden) this.fetch(); });
  }

  // -- what is drawn

  async fetch() {
    clearTimeout(this.timer);
    let wait = AGAIN;
    try {
      const found = await get(this.asOf === null ? "map" : `map?after=${this.asOf}`);
      if (found.as_of === null || found.early) wait = SOON;
      const stale = found.early && this.points && !this.early; // the server was started again
      if (found.as_of !== null && found.as_of !== this.asOf && !stale) this.take(found);
    } catch (refused) {
      if (!this.points) this.summary.textContent = refused.passing ? words.nobody : refused.message;
    }
    if (!document.hidden) this.timer = setTimeout(() => this.fetch(), wait);
  }

  take(found) {
    const first = !this.points, all = !first && this.seesAll();
    this.asOf = found.as_of;
    this.early = found.early;
    this.points = new Points(found);
    this.doubtful = Array.from(this.points.group.keys()).filter((at) => this.points.isDoubtful(at));
    this.summary.textContent = found.early ? words.mapEarly(number(found.objects)) : words.mapSummary(number(found.objects), number(found.groups), number(found.doubtful));
    if (first) this.resize();
    if (all) this.view.fit(this.points.box);
    if (first && !this.recall()) this.view.fit(this.points.box);
    if (first) this.dress();
    if (this.search.value) this.find();
    this.canvas.dataset.asOf = this.asOf;
    this.paint();
  }

  dress() {
    const rgb = (element, name) => getComputedStyle(element)[name].match(/\d+/g).slice(0, 3).map(Number);
    this.painter.dress({
      paper: rgb(document.body, "backgroundColor"),
      ink: rgb(document.body, "color"),
      focus: rgb(this.ring, "outlineColor"),
      palette: this.swatches.map((one) => rgb(one, "backgroundColor")),
    });
    this.paint();
  }

  resize() {
    const { width, height } = this.frame.getBoundingClientRect();
    const ratio = Math.min(devicePixelRatio || 1, 2);
    if (!width || !height) return;
    const grown = this.points && this.seesAll();
    Object.assign(this.view, { width, height, ratio });
    this.canvas.width = Math.round(width * ratio);
    this.canvas.height = Math.round(height * ratio);
    if (grown) this.view.fit(this.points.box);
    this.paint();
  }

  seesAll() {
    return this.view.scale === this.view.whole(this.points.box);
  }

  /** Draw in the next frame; once, however often it is asked for. */
  paint() {
    if (this.asked || !this.points || !this.painter.theme) return;
    this.asked = true;
    requestAnimationFrame(() => {
      this.asked = false;
      const start = performance.now();
      const seen = this.painter.draw(this.context, this.points, this.view, this.lit);
      this.writeNames();
      this.markChosen();
      this.canvas.dataset.drawn = seen;
      this.canvas.dataset.frames = Number(this.canvas.dataset.frames ?? 0) + 1;
      this.canvas.dataset.took = (performance.now() - start).toFixed(1);
      sessionStorage.setItem(KEPT, JSON.stringify([this.view.x, this.view.y, this.view.scale]));
    });
  }

  /** Show what was in sight when this page was left. */
  recall() {
    const [x, y, scale] = JSON.parse(sessionStorage.getItem(KEPT) ?? "[]");
    if (!Number.isFinite(scale) || scale < this.view.whole(this.points.box)) return false;
    Object.assign(this.view, { x, y, scale });
    return true;
  }

  writeNames() {
    const { context, view } = this, { paper, ink } = this.painter.theme, ratio = view.ratio, taken = [];
    context.font = `600 ${13 * ratio}px system-ui, sans-serif`;
    context.textAlign = "center";
    context.textBaseline = "middle";
    context.lineJoin = "round";
    context.lineWidth = 4 * ratio;
    for (const { name, x, y, far } of this.points.labels) {
      const radius = far * view.scale * ratio;
      if (radius < 22 * ratio) continue;
      const shown = name.length > 32 ? `${name.slice(0, 31)}…` : name;
      const half = context.measureText(shown).width / 2, high = 9 * ratio, [px, py] = [view.toX(x), view.toY(y)];
      if (half > 1.6 * radius || px < -half || py < -high || px > this.canvas.width + half || py > this.canvas.height + high) continue;
      if (taken.some((one) => Math.abs(one.px - px) < one.half + half && Math.abs(one.py - py) < 2 * high)) continue;
      taken.push({ px, py, half });
      context.strokeStyle = `rgb(${paper} / .85)`.replaceAll(",", " ");
      context.fillStyle = `rgb(${ink})`;
      context.strokeText(shown, px, py);
      context.fillText(shown, px, py);
    }
  }

  markChosen() {
    if (this.chosen < 0) return;
    const { context, view, points } = this;
    context.strokeStyle = `rgb(${this.painter.theme.focus})`;
    context.lineWidth = 3 * view.ratio;
    context.beginPath();
    context.arc(view.toX(points.x[this.chosen]), view.toY(points.y[this.chosen]), view.radius + 4 * view.ratio, 0, 2 * Math.PI);
    context.stroke();
  }

  // -- moving

  zoom(factor, left = this.view.width / 2, top = this.view.height / 2) {
    if (!this.points) return;
    this.view.zoom(factor, left, top, Math.min(this.view.whole(this.points.box), 1e9));
    this.stayNear();
    this.paint();
    this.place();
  }

  pan(dx, dy) {
    if (!this.points) return;
    this.view.x -= dx / this.view.scale;
    this.view.y -= dy / this.view.scale;
    this.stayNear();
    this.paint();
    this.place();
  }

  whole() {
    if (!this.points) return;
    this.view.fit(this.points.box);
    this.paint();
    this.place();
  }

  /** Keep the middle of the view on the map. */
  stayNear() {
    const { box } = this.points;
    this.view.x = Math.min(Math.max(this.view.x, box.left), box.right);
    this.view.y = Math.min(Math.max(this.view.y, box.top), box.bottom);
  }

  down(event) {
    this.canvas.setPointerCapture(event.pointerId);
    this.pointers.set(event.pointerId, { x: event.offsetX, y: event.offsetY });
    if (this.pointers.size === 1) this.pressed = { x: event.offsetX, y: event.offsetY, moved: false };
  }

  move(event) {
    const here = { x: event.offsetX, y: event.offsetY }, before = this.pointers.get(event.pointerId);
    if (!this.points) return;
    if (!before) {
      this.pinned = false;
      this.choose(this.at(here));
      return;
    }
    const other = [...this.pointers].find(([id]) => id !== event.pointerId)?.[1];
    if (Math.hypot(here.x - this.pressed.x, here.y - this.pressed.y) > 5) this.pressed.moved = true;
    if (other) {
      const [was, is] = [before, here].map((one) => Math.hypot(one.x - other.x, one.y - other.y) || 1);
      this.pressed.moved = true;
      this.zoom(is / was, (here.x + other.x) / 2, (here.y + other.y) / 2);
    } else if (this.pressed.moved) this.pan(here.x - before.x, here.y - before.y);
    this.pointers.set(event.pointerId, here);
  }

  up(event) {
    const pressed = this.pressed;
    this.pointers.delete(event.pointerId);
    if (event.type === "pointercancel" || this.pointers.size || !pressed || pressed.moved || !this.points) return;
    const at = this.at({ x: event.offsetX, y: event.offsetY });
    if (event.pointerType !== "mouse") { // there was no hovering before: the card comes first, with its link
      this.pinned = at >= 0;
      this.choose(at);
    } else if (at >= 0) this.open(at);
  }

  at({ x, y }) {
    const place = this.view.place(x, y);
    return this.points.near(place.x, place.y, Math.max(REACH / this.view.scale, 0.6));
  }

  key(event) {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const acts = {
      ArrowLeft: () => this.pan(80, 0), ArrowRight: () => this.pan(-80, 0), ArrowUp: () => this.pan(0, 80), ArrowDown: () => this.pan(0, -80),
      "+": () => this.zoom(STEP), "=": () => this.zoom(STEP), "-": () => this.zoom(1 / STEP), 0: () => this.whole(), Home: () => this.whole(),
      n: () => this.next(1), p: () => this.next(-1), Enter: () => { if (this.chosen >= 0) this.open(this.chosen); },
      Escape: () => { this.pinned = false; this.choose(-1); },
    };
    const act = acts[event.key.length === 1 ? event.key.toLowerCase() : event.key];
    if (!act || !this.points) return;
    event.preventDefault();
    act();
  }

  /** Go to the next doubtful object, or to the next that was found. */
  next(step) {
    const every = this.lit ? Array.from(this.lit.keys()).filter((at) => this.lit[at]) : this.doubtful;
    if (!every.length) return say(this.early ? words.mapNoGroups : words.mapNoDoubt);
    const here = every.indexOf(this.chosen);
    const at = every[here < 0 ? (step > 0 ? 0 : every.length - 1) : (here + step + every.length) % every.length];
    [this.view.x, this.view.y] = [this.points.x[at], this.points.y[at]];
    this.view.scale = Math.max(this.view.scale, 14);
    this.pinned = true;
    return this.choose(at);
  }

  open(at) {
    if (this.early) return say(words.mapNoGroups);
    return location.assign(`/groups#${this.points.group[at]}`);
  }

  // -- one object

  async choose(at) {
    if (at === this.chosen && at >= 0) return this.place();
    this.chosen = at;
    this.canvas.classList.toggle("over", at >= 0);
    this.paint();
    if (at < 0) {
      this.card.hidden = true;
      return undefined;
    }
    if (!this.known.has(at)) await new Promise((done) => { setTimeout(done, 60); }); // who only passes by asks nothing
    if (at !== this.chosen) return undefined;
    try {
      if (!this.known.has(at)) this.known.set(at, await get(`objects/${at}`));
    } catch {
      return undefined;
    }
    if (at === this.chosen) this.show(at, this.known.get(at));
    return undefined;
  }

  show(at, thing) {
    const size = this.points.sizes.get(this.points.group[at]), doubt = Math.round((100 * this.points.doubt[at]) / 255);
    const known = [words.mapSize(number(size)), this.points.isDoubtful(at) ? words.mapElsewhere(String(doubt)) : ""].filter(Boolean).join(" · ");
    const facts = this.early ? words.mapNoGroups : known;
    const more = thing.fields.map(([, value]) => value).filter((value) => value !== null).slice(1, 5).join(" · ").slice(0, 160);
    this.card.replaceChildren(
      thing.picture ? el("img", { src: `/api/picture/${at}`, alt: thing.id, load: () => this.place() }) : "",
      el("strong", {}, spoken(thing)), more && !thing.picture ? el("span", {}, more) : "", el("span", { class: "quiet" }, facts),
      this.pinned && !this.early ? el("a", { href: `/groups#${this.points.group[at]}` }, words.mapOpen) : "");
    this.card.hidden = false;
    this.place();
    say(`${spoken(thing)}: ${facts}`);
  }

  /** Put the card beside its point, inside the frame. */
  place() {
    if (this.card.hidden || this.chosen < 0) return;
    const { view, points } = this, { offsetWidth: wide, offsetHeight: high } = this.card;
    const x = view.toX(points.x[this.chosen]) / view.ratio, y = view.toY(points.y[this.chosen]) / view.ratio, gap = view.radius / view.ratio + 10;
    const left = x + gap + wide > view.width ? x - gap - wide : x + gap;
    this.card.style.left = `${Math.min(Math.max(left, 4), Math.max(view.width - wide - 4, 4))}px`;
    this.card.style.top = `${Math.min(Math.max(y - high / 2, 4), Math.max(view.height - high - 4, 4))}px`;
  }

  // -- search

  typed() {
    clearTimeout(this.typing);
    this.typing = setTimeout(() => this.find(), 200);
  }

  async find() {
    const search = this.search.value.trim();
    this.lit = null;
    this.found.textContent = "";
    if (search) {
      try {
        const found = await get(`search?${new URLSearchParams({ search })}`);
        if (search !== this.search.value.trim()) return;
        this.lit = new Uint8Array(this.points.size);
        for (const at of found.numbers) this.lit[at] = 1;
        this.found.textContent = words.mapFound(number(found.found));
      } catch {
        this.found.textContent = words.nobody;
      }
    }
    this.paint();
  }
}
