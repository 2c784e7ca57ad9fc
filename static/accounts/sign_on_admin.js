/* The sign-on's page: addresses are copied, rules are added, moved and removed. Without scripts one empty rule stands at the end. */
(() => {
  const shown = (place) => place.querySelectorAll("[hidden]").forEach((button) => { button.hidden = false; });
  for (const button of document.querySelectorAll("[data-copy]")) {
    button.hidden = !navigator.clipboard;
    const icon = button.firstElementChild;
    button.addEventListener("click", async () => {
      await navigator.clipboard.writeText(document.getElementById(button.dataset.copy).value);
      icon.textContent = "check";
      setTimeout(() => { icon.textContent = "content_copy"; }, 1500);
    });
  }
  const rules = document.querySelector("[data-rules]");
  if (!rules) return;
  shown(rules);
  const add = document.querySelector("[data-rule-add]");
  add.hidden = false;
  add.addEventListener("click", () => {
    const row = rules.lastElementChild.cloneNode(true);
    row.querySelectorAll("input").forEach((input) => { input.value = ""; });
    rules.append(row);
    row.querySelector("input").focus();
  });
  rules.addEventListener("click", (event) => {
    const row = event.target.closest("[data-rule]");
    if (event.target.closest("[data-rule-up]") && row.previousElementSibling) rules.insertBefore(row, row.previousElementSibling);
    if (!event.target.closest("[data-rule-remove]")) return;
    if (rules.children.length > 1) row.remove();
    else row.querySelector("input").value = "";
  });
})();
