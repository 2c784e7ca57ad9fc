/* Where each value of an agent's page comes from: it is shown while one changes it, and an own value can be taken back.
   A blank field means the level above, with or without this script. */
document.addEventListener("DOMContentLoaded", () => {
  const blank = (field) => (field.tagName === "SELECT" && ![...field.options].some((option) => option.value === "") ? field.dataset.below : "");

  const setUp = (field, label) => {
    const back = Object.assign(document.createElement("button"), { type: "button", className: "agent-action" });
    const words = field.dataset.level === "all" ? word("Back to all providers") : word("Back to the default");
    back.textContent = words;
    back.setAttribute("aria-label", `${words}: ${field.labels[0]?.textContent.trim() ?? field.name}`);
    back.addEventListener("click", () => {
      field.value = blank(field);
      for (const kind of ["input", "change"]) field.dispatchEvent(new Event(kind, { bubbles: true }));
      field.focus();
    });
    const draw = () => {
      const isOwn = field.value !== blank(field);
      label.textContent = isOwn ? field.dataset.own : field.dataset.level === "all" ? word("All providers") : word("Platform");
      label.classList.toggle("is-own", isOwn);
      back.hidden = !isOwn || field.matches("textarea.prompt");
    };
    label.after(back);
    for (const kind of ["input", "change"]) field.addEventListener(kind, draw);
    draw();
  };

  for (const field of document.querySelectorAll(".agent-part [data-source]")) {
    const label = document.querySelector(`.agent-source[data-of="${field.name}"]`);
    if (label) setUp(field, label);
  }
});
