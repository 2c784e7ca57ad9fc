/* The list of feedback by keyboard (design 51): J and K move, E marks as seen, A assigns, C makes a case. */
document.addEventListener("DOMContentLoaded", () => {
  const list = document.querySelector(".parley-feedback");
  const lines = list ? [...list.querySelectorAll("li:has(input[name=chosen])")] : [];
  if (!lines.length) return;
  const opened = () => lines.find((line) => line.contains(document.activeElement));
  const box = (line) => line.querySelector("input[name=chosen]");

  const acts = {
    j: () => box(lines[Math.min(lines.indexOf(opened()) + 1, lines.length - 1)]).focus(),
    k: () => box(lines[Math.max(lines.indexOf(opened()) - 1, 0)]).focus(),
    e: () => opened()?.querySelector("button[name=see]")?.click(),
    c: () => opened()?.querySelector("[data-case]")?.click(),
    a: () => {
      const line = opened();
      if (!line) return;
      box(line).checked = true;
      document.querySelector(".parley-feedback-actions select").focus();
    },
  };
  document.addEventListener("keydown", (event) => {
    const isTyping = event.target.matches("input:not([type=checkbox]), textarea, select");
    const act = acts[event.key.toLowerCase()];
    if (!act || isTyping || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    act();
  });
});
