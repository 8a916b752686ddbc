// The words of the page in the reader's language; a translation is one file in words/.

import { en } from "./words/en.js";
import { de } from "./words/de.js";

const KNOWN = { en, de };
export const language = navigator.languages.map((one) => one.slice(0, 2).toLowerCase()).find((one) => one in KNOWN) ?? "en";
export const words = KNOWN[language];

const locale = navigator.languages.find((one) => one.slice(0, 2).toLowerCase() === language) ?? language;

/** How long something takes: 4 s, 8 min, 3 h. */
export function span(seconds) {
  const [value, unit] = seconds < 99.5 ? [seconds, "s"] : seconds < 5940 ? [seconds / 60, "min"] : [seconds / 3600, "h"];
  const digits = unit === "s" && value < 9.95 ? 1 : 0;
  return `${new Intl.NumberFormat(locale, { maximumFractionDigits: digits }).format(value)} ${unit}`;
}

/** A time as people here write it. */
export function when(text) {
  return new Intl.DateTimeFormat(locale, { dateStyle: "short", timeStyle: "short" }).format(new Date(text));
}

/** A share with a sign of percent. */
export function percent(share) {
  return new Intl.NumberFormat(locale, { style: "percent", maximumFractionDigits: 1 }).format(share);
}

/** A number as people of this language write it. */
export function number(value) {
  return new Intl.NumberFormat(locale).format(Math.round(value));
}

/** An amount, such as a cost: three digits that count. */
export function amount(value) {
  return new Intl.NumberFormat(locale, { maximumSignificantDigits: 3 }).format(value);
}

/** A rate with its interval: 3 % (1 to 8 %). */
export function rate(found) {
  if (!found) return "—";
  const share = (part) => number(100 * part);
  return words.rate(share(found.rate), share(found.low), share(found.high));
}
