/* Providers' values are edited in their cells of the table by provider (admin_config/admin/agents/values.py).
   A cell in which something was typed stays open beside others, and the browser asks before the page is left.
   Without this script the cell is a link to the field on the provider's page. */
document.addEventListener("DOMContentLoaded", () => {
  const values = document.querySelector(".agent-values");
  if (values) new ValueTable(values);
});

class ValueTable {
  constructor(values) {
    this.values = values;
    this.status = values.querySelector("p[data-value-status]");
    this.editors = new Set();
    this.wanted = null; // the link that was asked for last
    this.saved = Promise.resolve(); // one save at a time, so that the newest row comes last
    this.prepare(values);
    values.addEventListener("click", (event) => this.click(event));
    values.addEventListener("keydown", (event) => this.press(event));
    for (const kind of ["input", "change"]) {
      values.addEventListener(kind, (event) => this.change(event), { capture: true });
    }
    addEventListener("beforeunload", (event) => {
      if (this.changed().length) event.preventDefault();
    });
  }

  prepare(place) {
    for (const link of place.querySelectorAll("a[data-value]")) link.setAttribute("role", "button");
  }

  changed() {
    return [...this.editors].filter((editor) => editor.hasChanged);
  }

  /* Whether nothing in the table, and nothing beside it, has the focus. */
  get isFocusFree() {
    return document.activeElement.contains(this.values);
  }

  /* The editor that this element is in. */
  around(element) {
    return [...this.editors].find((editor) => editor.box.contains(element));
  }

  /* The page's form has not changed. A choice is put back while it is saved: a list cannot be read-only. */
  change(event) {
    event.stopPropagation();
    const editor = this.around(event.target);
    if (editor?.isSaving) editor.field.value = editor.sentValue;
  }

  click(event) {
    const link = event.target.closest("a[data-value]");
    if (link && !(event.ctrlKey || event.metaKey || event.shiftKey)) {
      event.preventDefault();
      this.open(link);
    }
    if (event.target.closest("[data-value-cancel]")) this.around(event.target).cancel();
    if (event.target.closest("[data-value-clear]")) this.save(this.around(event.target), { isCleared: true });
  }

  press(event) {
    const link = event.target.closest("a[data-value]");
    if (link && event.key === " ") {
      event.preventDefault();
      this.open(link);
    }
    const editor = this.around(event.target);
    if (editor && event.key === "Escape") {
      event.stopPropagation();
      editor.cancel();
    }
  }

  async open(asked) {
    this.wanted = asked;
    const address = asked.dataset.value;
    const html = await this.ask(address);
    const link = this.values.querySelector(`a[data-value="${CSS.escape(address)}"]`); // a save may have brought a newer row
    if (!html || this.wanted !== asked || !link || link.hidden) return;
    for (const other of this.editors) if (!other.hasChanged && !other.isSaving) other.close();
    new CellEditor(this, link, html);
  }

  save(editor, choice) {
    if (editor.isSaving) return;
    editor.setSaving(true);
    this.saved = this.saved
      .then(() => this.send(editor, choice))
      .finally(() => editor.setSaving(false))
      .catch((problem) => {
        this.status.textContent = word("The server could not do this. Try again."); // and the next save goes on
        reportError(problem);
      });
  }

  async send(editor, { isCleared = false } = {}) {
    const sent = new FormData(editor.form);
    if (isCleared) sent.set(editor.field.name, "");
    for (const head of this.values.querySelectorAll("th[data-column]")) sent.append("column", head.dataset.column); // of the row that comes back
    sent.set("csrfmiddlewaretoken", document.querySelector("[name=csrfmiddlewaretoken]").value);
    const html = await this.ask(editor.link.dataset.value, { method: "POST", body: sent });
    if (!html) return;
    if (html.querySelector("[data-row]")) this.take(editor, html);
    else {
      editor.show(html);
      if (this.isFocusFree) editor.focus();
    }
  }

  /* The value is saved: its row, and what the page says of the draft. */
  take(editor, html) {
    const row = html.querySelector("[data-row]");
    const older = editor.link.closest("tr");
    editor.close();
    older.after(row);
    this.prepare(row);
    for (const other of this.editors) if (older.contains(other.link)) other.move(row);
    older.remove();
    this.values.querySelector("[data-value-count]").replaceWith(html.querySelector("[data-value-count]"));
    document.querySelector("div[data-value-bar]").replaceWith(html.querySelector("[data-value-bar]"));
    this.status.textContent = html.querySelector("p[data-value-status]").textContent;
    this.values.querySelector("[data-none-set]")?.remove();
    const group = row.closest("tbody");
    group.classList.toggle("is-default", !group.querySelector("[data-row]:not(.is-default)"));
    const link = row.cells[editor.column].querySelector("a");
    if (this.isFocusFree) (link.offsetParent ? link : this.values.querySelector("[data-set-only]")).focus();
  }

  /* What the server answers, as a fragment; null, and why, when it does not. */
  async ask(address, options) {
    this.status.textContent = "";
    try {
      const response = await fetch(address, options);
      const text = response.ok && !response.redirected ? await response.text() : "";
      const html = document.createRange().createContextualFragment(text);
      if (!html.querySelector(".agent-value-editor, [data-row]")) throw new Error(word("The server could not do this. Try again."));
      return html;
    } catch (problem) {
      this.status.textContent = problem instanceof TypeError ? word("The server cannot be reached. Check your connection and try again.") : problem.message;
      return null;
    }
  }
}

/* The editor of one value, beside its link. Its form is outside of the page's, which would else send the field along. */
class CellEditor {
  constructor(table, link, html) {
    this.table = table;
    this.link = link;
    this.column = link.closest("td").cellIndex;
    this.form = Object.assign(document.createElement("form"), { id: html.querySelector(".agent-value-editor").dataset.form, hidden: true });
    document.body.append(this.form);
    this.form.addEventListener("submit", (event) => {
      event.preventDefault();
      table.save(this);
    });
    table.editors.add(this);
    this.show(html);
    this.focus();
    this.entryBefore = this.entry;
  }

  get field() {
    return this.box.querySelector("input:not([type=hidden]), select, textarea");
  }

  get entry() {
    return new FormData(this.form).getAll(this.field.name).join("\n");
  }

  get hasChanged() {
    return this.entry !== this.entryBefore;
  }

  /* Nothing is typed while it is saved: it would be lost with the editor. */
  setSaving(isSaving) {
    this.isSaving = isSaving;
    this.field.readOnly = isSaving;
    this.sentValue = this.field.value;
  }

  /* Put this editor into the cell, in place of the one that is there. */
  show(html) {
    this.box?.remove();
    this.box = html.querySelector(".agent-value-editor");
    this.link.hidden = true;
    this.link.after(this.box);
  }

  focus() {
    this.field.focus();
    this.field.select?.();
    this.box.scrollIntoView({ block: "nearest", inline: "nearest" });
  }

  /* Go on in the same column of a newer row. */
  move(row) {
    const focused = this.box.contains(document.activeElement) ? document.activeElement : null;
    this.link = row.cells[this.column].querySelector("a");
    this.link.hidden = true;
    this.link.after(this.box);
    focused?.focus();
  }

  cancel() {
    if (this.isSaving) return;
    this.close();
    this.link.focus();
    this.table.status.textContent = "";
  }

  close() {
    this.table.editors.delete(this);
    this.box.remove();
    this.form.remove();
    this.link.hidden = false;
  }
}
