/* The publish page: its checks come in, and it says when somebody changes the draft meanwhile. */
const RUNNING_MS = 2000;
const RESTING_MS = 10000;

async function refresh() {
  const shown = document.getElementById("publish-state");
  if (!shown) return;
  try {
    const query = new URLSearchParams({ part: "1", seen: shown.dataset.seen, opened: shown.dataset.opened });
    const response = await fetch(`?${query}`);
    if (response.ok) renew(shown, await response.text());
  } catch {
    // the server can't be reached: the next try may succeed
  }
  plan();
}

function renew(shown, html) {
  const holder = document.createElement("template");
  holder.innerHTML = html;
  const newer = holder.content.querySelector("[data-state]");
  const former = shown.querySelector("[data-state]");
  if (!newer || former.querySelector("details[open]") || former.isEqualNode(newer)) return; // a reason may be half typed
  const hasFocus = former.contains(document.activeElement);
  former.replaceWith(newer);
  if (hasFocus) newer.querySelector("button:not(:disabled), a")?.focus();
}

function plan() {
  const isRunning = document.querySelector("#publish-state [data-checking]");
  setTimeout(refresh, isRunning ? RUNNING_MS : RESTING_MS);
}

document.addEventListener("DOMContentLoaded", plan);
