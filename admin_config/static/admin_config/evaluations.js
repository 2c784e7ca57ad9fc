/* The page of an experiment that runs: every two seconds what has changed is taken over, until it has ended. */
const PAUSE_MS = 2000;

async function refresh() {
  const shown = document.getElementById("experiment");
  if (!shown || !("running" in shown.dataset)) return;
  try {
    const response = await fetch("?part=1");
    if (response.ok) renew(shown, await response.text());
  } catch {
    // the server can't be reached: the next try may succeed
  }
  setTimeout(refresh, PAUSE_MS);
}

function renew(shown, html) {
  const holder = document.createElement("template");
  holder.innerHTML = html;
  const newer = holder.content.getElementById("experiment");
  if (!newer) return;
  const hasFocus = shown.contains(document.activeElement);
  shown.replaceWith(newer);
  showLocalTimes(newer);
  if (hasFocus) newer.querySelector("button, a")?.focus();
}

document.addEventListener("DOMContentLoaded", () => setTimeout(refresh, PAUSE_MS));
