/* The publish page: its checks come in, and it says when somebody changes the draft meanwhile. */
const RUNNING_MS = 2000;
const RESTING_MS = 10000;

async function refresh() {
  const shown = document.getElementById("publish-state");
  if (!shown) return;
  try {
    const query = new URLSearchParams({ part: "1", seen: shown.dataset.seen, opened: shown.dataset.opened });
    for (const token of leftOut()) query.append("without", token);
    const response = await fetch(`?${query}`);
    if (response.ok) renew(shown, await response.text());
  } catch {
    // the server can't be reached: the next try may succeed
  }
  plan();
}

function leftOut() {
  const form = document.getElementById("publish_form");
  return form ? new FormData(form).getAll("without") : [];
}

/* What is typed in the form goes along when a change is left out or taken in again. */
function keepTyped(event) {
  const link = event.target.closest("a[data-leave-out]");
  const form = document.getElementById("publish_form");
  if (!link || !form) return;
  const address = new URL(link.href);
  for (const [name, value] of new FormData(form)) {
    if (value && !["csrfmiddlewaretoken", "seen", "without", "override"].includes(name)) address.searchParams.set(name, value);
  }
  link.href = address.href;
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
document.addEventListener("click", keepTyped);
