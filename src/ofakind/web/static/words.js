// The words of the page in the reader's language; a translation is one file in words/.

import { en } from "./words/en.js";
import { de } from "./words/de.js";

const KNOWN = { en, de };
export const language = navigator.languages.map((one) => one.slice(0, 2).toLowerCase()).find((one) => one in KNOWN) ?? "en";
export const words = KNOWN[language];

/** A number as people of this language write it. */
export function number(value) {
  return new Intl.NumberFormat(language).format(Math.round(value));
}
