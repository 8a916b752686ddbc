// Elements are made here and nowhere else. Text gets in as text, never as HTML.

/** Make an element: el("p", { class: "quiet" }, "text", anotherElement). */
export function el(name, attributes = {}, ...children) {
  return filled(document.createElement(name), attributes, children);
}

/** The same for a picture that is drawn. */
export function svg(name, attributes = {}, ...children) {
  return filled(document.createElementNS("http://www.w3.org/2000/svg", name), attributes, children);
}

function filled(element, attributes, children) {
  for (const [key, value] of Object.entries(attributes)) {
    if (typeof value === "function") element.addEventListener(key, value);
    else if (value === true) element.setAttribute(key, "");
    else if (value !== false && value !== null && value !== undefined) element.setAttribute(key, String(value));
  }
  element.append(...children.filter((one) => one !== null && one !== undefined && one !== ""));
  return element;
}

/** Tell people who listen to the page rather than look at it. */
export function say(text) {
  document.getElementById("said").textContent = text;
}

/** A key that nobody else has; it also works where the connection is not encrypted. */
export function newKey() {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}
