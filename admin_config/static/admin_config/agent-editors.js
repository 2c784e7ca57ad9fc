/* Tells the server that this agent's page is open, and shows who else edits now. */
const SIGN_MS = 20000;

async function renewEditors(place) {
  if (document.hidden) return;
  try {
    const response = await fetch(place.dataset.url);
    const shown = response.ok ? await response.text() : place.innerHTML;
    if (shown.trim() !== place.innerHTML.trim()) place.innerHTML = shown;
  } catch {
    // the server can't be reached: the next try may succeed
  }
}

document.addEventListener("DOMContentLoaded", () => {
  const place = document.getElementById("agent-editors");
  if (!place) return;
  setInterval(renewEditors, SIGN_MS, place);
  document.addEventListener("visibilitychange", () => renewEditors(place));
});
