// Two objects side by side: fields in rows with what differs marked, or pictures that zoom together.

import { el } from "./dom.js";
import { parts, signOf, SAME } from "./differences.js";
import { words } from "./words.js";

const LONG = 700; // characters of a value that is folded

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
  return row;
}

function onePart(text) {
  return text === null ? [] : [{ text, marked: false }];
}

function cell(value, pieces) {
  if (value === null) return el("td", { class: "none" }, el("span", { "aria-label": words.missing }, "—"));
  const text = el("div", { class: "value" });
  for (const { text: piece, marked } of pieces) text.append(marked ? el("mark", {}, piece) : piece);
  if (value.length <= LONG) return el("td", {}, text);
  text.classList.add("folded");
  const button = el("button", { type: "button", class: "plain", click: () => {
    const folded = text.classList.toggle("folded");
    button.textContent = folded ? words.more : words.less;
  } }, words.more);
  return el("td", {}, text, button);
}

/** Both pictures at the same scale; a click or a pointer zooms both, at the same place. */
function pictures(left, right) {
  const images = [[left, words.left], [right, words.right]].map(([one, side]) =>
    one.picture ? el("img", { src: `/api/picture/${one.number}`, alt: words.picture(side), draggable: "false" }) : el("p", {}, one.id));
  const box = el("div", { class: "pictures" }, ...images.map((image) => el("div", { class: "frame" }, image)));
  const place = (event) => {
    const frame = event.target.closest(".frame")?.getBoundingClientRect();
    if (!frame) return;
    const [x, y] = [(event.clientX - frame.left) / frame.width, (event.clientY - frame.top) / frame.height];
    for (const image of images) image.style.transformOrigin = `${100 * x}% ${100 * y}%`;
  };
  box.addEventListener("click", (event) => { place(event); box.classList.toggle("zoomed"); });
  box.addEventListener("pointermove", (event) => { if (box.classList.contains("zoomed")) place(event); });
  return box;
}

/** A line for somebody who listens: the id or the first texts of an object. */
export function spoken(thing) {
  const first = thing.fields.find(([, value]) => value !== null);
  return (first ? first[1] : thing.id).slice(0, 80);
}
