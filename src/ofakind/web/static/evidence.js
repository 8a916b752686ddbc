// What speaks for or against two objects being of a kind, in lines.

import { el } from "./dom.js";
import { words } from "./words.js";

export function evidenceLines(found) {
  const percent = (share) => String(Math.round(100 * share));
  const lines = [found.together ? words.together(percent(found.probability)) : words.apart(percent(found.probability))];
  if (found.pinned !== null) lines.push(found.pinned ? words.pinnedSame : words.pinnedDifferent);
  if (found.prior !== null) lines.push(words.prior(percent(found.prior)));
  for (const [judge, score] of found.judges) lines.push(words.judgeSays(judge, String(Math.round(100 * score) / 100)));
  for (const one of found.answers) lines.push(words.said(one.annotator, one.value > 0 ? words.same : one.value < 0 ? words.different : words.unsure));
  if (!found.answers.length) lines.push(words.noAnswers);
  if (found.chain.length) lines.push(words.chain(found.chain.map(([a, b]) => `${a} = ${b}`).join(", ")));
  return lines.map((line) => el("p", {}, line));
}
