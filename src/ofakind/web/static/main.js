// Which page this is, and its beginning.

import { el } from "./dom.js";
import { Groups } from "./groups.js";
import { Label } from "./label.js";
import { MapPage } from "./map.js";
import { Owner } from "./owner.js";
import { Top } from "./progress.js";
import { language, words } from "./words.js";

document.documentElement.lang = language;
const main = document.getElementById("main");
const PAGES = { "/": Label, "/groups": Groups, "/map": MapPage, "/owner": Owner };
const path = location.pathname in PAGES ? location.pathname : "/";
const top = new Top(path);

/** A link brings a token behind #, for whoever was somebody else here before; it does not stay there. */
async function enter() {
  if (path !== "/" || location.hash.length < 20) return;
  const headers = { Authorization: "Bearer " + location.hash.slice(1) };
  history.replaceState(null, "", "/");
  await fetch("/api/session", { method: "POST", headers, credentials: "same-origin" }).catch(() => null);
}

async function begin() {
  const progress = await top.refresh();
  if (!progress) {
    main.replaceChildren(el("p", { class: "quiet" }, words.nobody));
    setTimeout(begin, 1500);
    return;
  }
  const page = new PAGES[path](main, top);
  await page.start(progress);
}

await enter();
begin();
