// Two objects side by side: fields in rows with what differs marked, or pictures that zoom together.

import { el } from "./dom.js";
import { parts, signOf, SAME } from "./differences.js";
import { words } from "./words.js";

const LONG = 700, LINES = 12; // characters or lines from which on a value is folded
const CLOSE = 2.5, CLOSEST = 8; // how far a click zooms, and two fingers

/** The card of a question. */
export function pairCard(question) {
  const { left, right } = question;
  const card = el("section", { class: "pair", "aria-label": `${left.id} · ${right.id}` });
  if (left.picture || right.picture) card.append(pictures(left, right));
  if (left.fields.length || !left.picture) card.append(table(left, right));
  return card;
}

function table(left, right) {
  const head = el("tr", {}, el("th", { scope: "col" }, el("span", { class: "unseen" }, words.field)));
  head.append(el("th", { scope: "col", class: "id" }, left.id), el("td", { class: "sign" }));
  head.append(el("th", { scope: "col", class: "id" }, right.id));
  const body = el("tbody");
  left.fields.forEach(([name, value], row) => body.append(fieldRow(name, value, right.fields[row][1])));
  return el("table", {}, el("thead", {}, head), body);
}

function fieldRow(name, left, right) {
  if (left === null && right === null) return "";
  const sign = signOf(left, right);
  const both = left === null || right === null ? [left, right].map(onePart) : parts(left, right);
  const row = el("tr", { class: sign === SAME ? "equal" : "" }, el("th", { scope: "row" }, name));
  row.append(cell(left, both[0]), el("td", { class: "sign", title: words.signs[sign] }, el("span", { "aria-hidden": "true" }, sign), el("span", { class: "unseen" }, words.signs[sign])));
  row.append(cell(right, both[1]));
  return isLong(left) || isLong(right) ? folded(row) : row;
}

function onePart(text) {
  return text === null ? [] : [{ text, marked: false }];
}

function cell(value, pieces) {
  if (value === null) return el("td", { class: "none" }, el("span", { "aria-label": words.missing, role: "img" }, "—"));
  const text = el("div", { class: "value" });
  for (const { text: piece, marked } of pieces) text.append(marked ? el("mark", {}, piece) : piece);
  return el("td", {}, text);
}

function isLong(value) {
  return value !== null && (value.length > LONG || value.split("\n", LINES + 1).length > LINES);
}

/** Fold the long texts of a row after some lines; either button unfolds both, so that they stay side by side. */
function folded(row) {
  const texts = [...row.querySelectorAll(".value")];
  const turn = () => {
    const closed = !texts[0].classList.contains("folded");
    for (const text of texts) text.classList.toggle("folded", closed);
    for (const button of buttons) {
      button.setAttribute("aria-expanded", String(!closed));
      button.textContent = closed ? words.more : words.less;
    }
  };
  const buttons = texts.map(() => el("button", { type: "button", class: "plain fold", "aria-expanded": "false", click: turn }, words.more));
  texts.forEach((text, at) => text.after(buttons[at]));
  for (const text of texts) text.classList.add("folded");
  return row;
}

/** Both pictures at the same scale. A click or two fingers zoom both, and a pointer moves both, at the same place. */
function pictures(left, right) {
  const images = [[left, words.left], [right, words.right]].map(([one, side]) =>
    one.picture ? el("img", { src: `/api/picture/${one.number}`, alt: words.picture(side), draggable: "false" }) : el("p", {}, one.id));
  const box = el("div", { class: "pictures" }, ...images.map((image) => el("div", { class: "frame" }, image)));
  const fingers = new Map();
  let pinched = null;
  const at = (frame, x, y) => {
    const { left: from, top, width, height } = frame.getBoundingClientRect();
    for (const image of images) image.style.transformOrigin = `${100 * (x - from) / width}% ${100 * (y - top) / height}%`;
  };
  const place = (event) => {
    const frame = event.target.closest(".frame");
    if (frame) at(frame, event.clientX, event.clientY);
  };
  const zoom = (scale) => {
    box.classList.toggle("zoomed", scale > 1);
    box.style.setProperty("--zoom", String(scale));
  };
  const apart = () => {
    const [one, other] = [...fingers.values()];
    return Math.hypot(one.clientX - other.clientX, one.clientY - other.clientY) || 1;
  };
  box.addEventListener("click", (event) => { place(event); zoom(box.classList.contains("zoomed") ? 1 : CLOSE); });
  box.addEventListener("pointerdown", (event) => {
    if (event.pointerType === "touch") fingers.set(event.pointerId, event);
    if (fingers.size !== 2) return;
    const scale = box.classList.contains("zoomed") ? Number(box.style.getPropertyValue("--zoom")) : 1;
    pinched = { apart: apart(), scale };
    const [one, other] = [...fingers.values()], frame = event.target.closest(".frame");
    if (frame) at(frame, (one.clientX + other.clientX) / 2, (one.clientY + other.clientY) / 2);
  });
  box.addEventListener("pointermove", (event) => {
    if (fingers.has(event.pointerId)) fingers.set(event.pointerId, event);
    if (pinched && fingers.size === 2) zoom(Math.min(CLOSEST, Math.max(1, pinched.scale * apart() / pinched.apart)));
    else if (box.classList.contains("zoomed")) place(event);
  });
  for (const end of ["pointerup", "pointercancel"]) {
    box.addEventListener(end, (event) => {
      fingers.delete(event.pointerId);
      if (fingers.size < 2) pinched = null;
    });
  }
  return box;
}

/** A line for somebody who listens: the id or the first texts of an object. */
export function spoken(thing) {
  const first = thing.fields.find(([, value]) => value !== null);
  return (first ? first[1] : thing.id).slice(0, 80);
}
