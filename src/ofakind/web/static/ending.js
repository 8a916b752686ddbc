// When to stop, and why: the target is reached, or the budget is spent.

import { el } from "./dom.js";
import { wrongWords } from "./progress.js";
import { number, words } from "./words.js";

/** What is said when the target is reached; `goOn` is what the button for going on does. */
export function stopNotice(progress, goOn) {
  const fewer = progress.next_fewer;
  const next = fewer === null ? "" : Math.round(fewer) ? words.next(number(progress.next_questions), number(fewer)) : words.nextNone(number(progress.next_questions));
  return [el("p", {}, el("strong", {}, words.stop), " ", words.stopWhy(wrongWords(progress), number(progress.groups)), " ", next),
    el("button", { type: "button", click: goOn }, words.goOn), " ",
    el("a", { class: "button", href: "/groups" }, words.review)];
}
