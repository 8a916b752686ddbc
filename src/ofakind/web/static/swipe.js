// A finger on the question: right is the same, left is different, up is unsure. Scrolling, and zooming into
// pictures, stay what they are.

import { el } from "./dom.js";
import { words } from "./words.js";

const FAR = 72; // pixels that a finger must go
const STRAIGHT = 1.6; // times as far as to the side
const BEGUN = 12;

/** Listen on an element; `acts` are { right, left, up }, called with nothing, and `free` says whether they may be now. */
export function onSwipe(place, acts, free) {
  const hint = el("div", { class: "swipe", "aria-hidden": "true" });
  const fingers = new Map();
  let from = null;
  place.append(hint);

  const letGo = () => {
    from = null;
    hint.className = "swipe";
    place.style.removeProperty("--swipe");
  };
  place.addEventListener("pointerdown", (event) => {
    if (event.pointerType !== "touch") return;
    fingers.set(event.pointerId, true);
    if (fingers.size > 1 || !free(event)) return letGo();
    from = { id: event.pointerId, x: event.clientX, y: event.clientY };
    return undefined;
  });
  place.addEventListener("pointermove", (event) => {
    if (!from || event.pointerId !== from.id) return;
    const [way, far, sideways] = direction(event, from);
    if (far < BEGUN || !way) return void (hint.className = "swipe");
    hint.textContent = { right: words.same, left: words.different, up: words.unsure }[way];
    hint.className = `swipe ${way}${far >= FAR ? " enough" : ""}`;
    place.style.setProperty("--swipe", way === "up" ? "0px" : `${Math.max(-40, Math.min(40, sideways / 3))}px`);
  });
  place.addEventListener("pointerup", (event) => {
    fingers.delete(event.pointerId);
    if (!from || event.pointerId !== from.id) return;
    const [way, far] = direction(event, from);
    letGo();
    if (way && far >= FAR) acts[way]();
  });
  place.addEventListener("pointercancel", (event) => { // the browser scrolls
    fingers.delete(event.pointerId);
    letGo();
  });
}

function direction(event, from) {
  const [x, y] = [event.clientX - from.x, event.clientY - from.y];
  if (Math.abs(x) > STRAIGHT * Math.abs(y)) return [x > 0 ? "right" : "left", Math.abs(x), x];
  if (-y > STRAIGHT * Math.abs(x)) return ["up", -y, 0];
  return [null, 0, 0];
}
