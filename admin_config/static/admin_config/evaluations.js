/* The page of an experiment that runs: every two seconds what has changed is taken over, until it has ended. */
const PAUSE_MS = 2000;

async function refresh() {
  const shown = document.getElementById("experiment");
  if (!shown || !("running" in shown.dataset)) return;
  try {
    const response = await fetch(location.href, { headers: { accept: "text/html" } });
    const page = new DOMParser().parseFromString(await response.text(), "text/html");
    const newer = page.getElementById("experiment");
    if (response.ok && newer && !shown.contains(document.activeElement)) shown.replaceWith(document.adoptNode(newer));
    else if (response.ok && newer) shown.querySelector("progress").value = newer.querySelector("progress")?.value ?? Infinity;
  } catch {
    // the server can't be reached: the next try may succeed
  }
  setTimeout(refresh, PAUSE_MS);
}

document.addEventListener("DOMContentLoaded", () => setTimeout(refresh, PAUSE_MS));
