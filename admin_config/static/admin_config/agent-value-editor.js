/* A provider's value is edited in its cell of the table by provider (admin_config/admin/agents/values.py).
   Without this script the cell is a link to the field on the provider's page. */
const VALUE_FORM = "agent-value-form";

document.addEventListener("DOMContentLoaded", () => {
  const values = document.querySelector(".agent-values");
  if (values) new ValueEditor(values);
});

class ValueEditor {
  constructor(values) {
    this.values = values;
    this.status = values.querySelector("p[data-value-status]");
    this.link = null; // of the value that is edited; the editor stands beside it
    this.form = Object.assign(document.createElement("form"), { id: VALUE_FORM, hidden: true });
    document.body.append(this.form);
    this.form.addEventListener("submit", (event) => {
      event.preventDefault();
      this.save();
    });
    this.prepare(values);
    values.addEventListener("click", (event) => this.click(event));
    values.addEventListener("keydown", (event) => this.press(event));
    for (const kind of ["input", "change"]) {
      values.addEventListener(kind, (event) => event.stopPropagation()); // the page's form has not changed
    }
  }

  get editor() {
    return this.values.querySelector(".agent-value-editor");
  }

  prepare(place) {
    for (const link of place.querySelectorAll("a[data-value]")) link.setAttribute("role", "button");
  }

  click(event) {
    const link = event.target.closest("a[data-value]");
    if (link && !(event.ctrlKey || event.metaKey || event.shiftKey)) {
      event.preventDefault();
      this.open(link);
    }
    if (event.target.closest("[data-value-cancel]")) this.close();
    if (event.target.closest("[data-value-clear]")) this.save({ isCleared: true });
  }

  press(event) {
    const link = event.target.closest("a[data-value]");
    if (link && event.key === " ") {
      event.preventDefault();
      this.open(link);
    }
    if (event.key === "Escape" && event.target.closest(".agent-value-editor")) {
      event.stopPropagation();
      this.close();
    }
  }

  async open(link) {
    if (this.isBusy) return;
    if (this.editor) this.close({ focus: false });
    const html = await this.ask(link.dataset.value);
    if (!html) return;
    this.link = link;
    this.show(html);
  }

  /* Put an editor into the cell, in place of the one that is there. */
  show(html) {
    this.editor?.remove();
    this.link.hidden = true;
    this.link.after(html.querySelector(".agent-value-editor"));
    const field = this.field();
    field.focus();
    field.select?.();
    this.editor.scrollIntoView({ block: "nearest", inline: "nearest" });
  }

  field() {
    return this.editor.querySelector("input:not([type=hidden]), select, textarea");
  }

  close({ focus = true } = {}) {
    this.editor?.remove();
    this.link.hidden = false;
    if (focus) this.link.focus();
    this.status.textContent = "";
  }

  async save({ isCleared = false } = {}) {
    if (this.isBusy || !this.editor) return;
    const sent = new FormData(this.form);
    if (isCleared) sent.set(this.field().name, "");
    for (const head of this.values.querySelectorAll("th[data-column]")) sent.append("column", head.dataset.column); // of the row that comes back
    sent.set("csrfmiddlewaretoken", document.querySelector("[name=csrfmiddlewaretoken]").value);
    const html = await this.ask(this.link.dataset.value, { method: "POST", body: sent });
    if (!html) return;
    if (html.querySelector("[data-row]")) this.take(html);
    else this.show(html);
  }

  /* The value is saved: its row, and what the page says of the draft. */
  take(html) {
    const row = html.querySelector("[data-row]");
    const older = this.link.closest("tr");
    const place = this.link.closest("td").cellIndex;
    older.replaceWith(row);
    this.prepare(row);
    this.values.querySelector("[data-value-count]").replaceWith(html.querySelector("[data-value-count]"));
    document.querySelector("div[data-value-bar]").replaceWith(html.querySelector("[data-value-bar]"));
    this.status.textContent = html.querySelector("p[data-value-status]").textContent;
    this.values.querySelector("[data-none-set]")?.remove();
    const group = row.closest("tbody");
    group.classList.toggle("is-default", !group.querySelector("[data-row]:not(.is-default)"));
    const link = row.cells[place].querySelector("a");
    (link.offsetParent ? link : this.values.querySelector("[data-set-only]")).focus();
  }

  /* What the server answers, as a fragment; null, and why, when it does not. */
  async ask(address, options) {
    this.isBusy = true;
    this.status.textContent = "";
    try {
      const response = await fetch(address, options);
      if (!response.ok || response.redirected) throw new Error(word("The server could not do this. Try again."));
      return document.createRange().createContextualFragment(await response.text());
    } catch (problem) {
      this.status.textContent = problem instanceof TypeError ? word("The server cannot be reached. Check your connection and try again.") : problem.message;
      return null;
    } finally {
      this.isBusy = false;
    }
  }
}
