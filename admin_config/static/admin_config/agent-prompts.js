/* Prompts on an agent's page: the default is readable text until it is customized, can be brought back and compared; placeholders and
   tokens are shown while one writes, and what the model gets. A blank field means the default, with or without this script. */
document.addEventListener("DOMContentLoaded", () => {
  const page = document.querySelector(".agent-tabs");
  if (!page) return;

  const make = (tag, className = "", text = "") => Object.assign(document.createElement(tag), { className, textContent: text });
  const label = (button, text, name) => {
    button.textContent = text;
    button.setAttribute("aria-label", `${text}: ${name}`);
    return button;
  };
  const button = (text, name) => label(Object.assign(make("button", "agent-action"), { type: "button" }), text, name);

  /* Lines that both have, by the longest common subsequence; prompts have some hundred lines at most. */
  const lineDiff = (before, after) => {
    const [a, b] = [before.split("\n"), after.split("\n")];
    const common = Array.from({ length: a.length + 1 }, () => new Uint32Array(b.length + 1));
    for (let i = a.length - 1; i >= 0; i--) {
      for (let j = b.length - 1; j >= 0; j--) common[i][j] = a[i] === b[j] ? common[i + 1][j + 1] + 1 : Math.max(common[i + 1][j], common[i][j + 1]);
    }
    const lines = [];
    let [i, j] = [0, 0];
    while (i < a.length || j < b.length) {
      if (i < a.length && j < b.length && a[i] === b[j]) lines.push(["same", a[i++], j++]);
      else if (j >= b.length || (i < a.length && common[i + 1][j] >= common[i][j + 1])) lines.push(["removed", a[i++]]);
      else lines.push(["added", b[j++]]);
    }
    return lines;
  };

  const diffLines = (before, after) => {
    const lines = make("ol");
    for (const [kind, line] of lineDiff(before, after)) lines.append(make("li", kind, line));
    return lines;
  };

  /* A later version of the platform has another default than the one in whose place the text was put. */
  const formerNotice = (field, name, fallback, useDefault) => {
    const notice = make("div", "agent-former");
    if (field.dataset.formerDefault === undefined) return notice;
    notice.setAttribute("role", "group");
    notice.setAttribute("aria-label", `${word("The default changed since you customized this.")} ${name}`);
    const changes = make("div", "parley-diff agent-diff");
    changes.hidden = true;
    changes.append(diffLines(field.dataset.formerDefault.trimEnd(), fallback));
    const [show, keep, use] = [button(word("Show what changed"), name), button(word("Keep mine"), name), button(word("Use the new default"), name)];
    show.setAttribute("aria-expanded", "false");
    show.addEventListener("click", () => {
      changes.hidden = !changes.hidden;
      show.setAttribute("aria-expanded", String(!changes.hidden));
    });
    keep.addEventListener("click", () => {
      const kept = Object.assign(make("input"), { type: "hidden", name: "keep_default", value: field.dataset.formerPlace });
      notice.replaceChildren(make("p", "", word("Your text stays. This is remembered when you save.")), kept);
      field.focus();
    });
    use.addEventListener("click", useDefault);
    notice.append(make("p", "", word("The default changed since you customized this.")), show, keep, use, changes);
    return notice;
  };

  const setUp = (field) => {
    const name = field.labels[0]?.textContent.replace(/[:*]\s*$/, "").trim() || word("Text");
    const fallback = (field.getAttribute("placeholder") ?? "").trimEnd();
    const isShared = field.dataset.level === "all";
    const [below, backTo, compareWith] = isShared
      ? [word("All providers"), word("Back to all providers"), word("Compare with all providers")]
      : [word("Default"), word("Back to the default"), word("Compare with the default")];
    const bar = make("div", "agent-prompt-bar");
    field.before(bar);
    const editor = highlight(field);
    const facts = make("div", "agent-prompt-facts");
    facts.setAttribute("aria-live", "polite");
    editor.after(facts);
    showFacts(field, facts);
    field.addEventListener("input", () => showFacts(field, facts));
    if (!fallback) return;

    field.removeAttribute("placeholder");
    const [state, titleState] = [make("span", "agent-state"), make("span", "agent-state")];
    sectionTitle(field)?.append(titleState, make("span", "agent-section-tokens"));
    const text = make("pre", "agent-default", fallback);
    const diff = make("div", "parley-diff agent-diff");
    const [customize, back, compare] = [button(word("Customize"), name), button(backTo, name), button(compareWith, name)];
    bar.append(state, customize, compare, back);
    editor.after(text, diff);
    const former = formerNotice(field, name, fallback, () => back.click());
    bar.after(former);

    const draw = (isOwn) => {
      for (const shown of [state, titleState]) {
        shown.textContent = isOwn ? word("Customized") : below;
        shown.classList.toggle("is-own", isOwn);
      }
      field.hidden = !isOwn;
      text.hidden = isOwn;
      customize.hidden = isOwn;
      back.hidden = compare.hidden = !isOwn;
      facts.hidden = !isOwn;
      former.hidden = !isOwn || !former.hasChildNodes();
      showDiff(false);
    };
    const showDiff = (isShown) => {
      diff.hidden = !isShown;
      label(compare, isShown ? word("Back to the text") : compareWith, name);
    };
    const write = (value) => {
      field.value = value;
      field.dispatchEvent(new Event("input", { bubbles: true }));
    };
    customize.addEventListener("click", () => {
      write(fallback);
      draw(true);
      field.focus();
    });
    back.addEventListener("click", () => {
      const own = field.value;
      write("");
      draw(false);
      const undo = button(word("Undo"), name);
      undo.addEventListener("click", () => {
        write(own);
        draw(true);
        undo.remove();
      });
      bar.querySelector(".is-undo")?.remove();
      undo.classList.add("is-undo");
      bar.append(undo);
      customize.focus();
    });
    compare.addEventListener("click", () => {
      showDiff(diff.hidden);
      field.hidden = !diff.hidden;
      if (diff.hidden) return;
      diff.replaceChildren(diffLines(fallback, field.value.replace(/\r\n/g, "\n").trimEnd()));
    });
    field.addEventListener("agent:reveal", () => draw(true));
    field.form.addEventListener("submit", () => {
      if (field.value.replace(/\r\n/g, "\n").trimEnd() === fallback) field.value = ""; // it stays the default, also when that changes
    });
    draw(field.value.trim() !== "" || field.closest(".errors") !== null);
  };

  /* Placeholders stand out in the text, by a copy of it behind the field that has their background alone. Gives what holds the field. */
  const highlight = (field) => {
    if (field.dataset.placeholders === undefined) return field;
    const known = field.dataset.placeholders.split(" ");
    const [editor, copy] = [make("div", "agent-editor"), make("pre")];
    copy.setAttribute("aria-hidden", "true");
    field.before(editor);
    editor.append(copy, field);
    const { font, padding, letterSpacing } = getComputedStyle(field);
    Object.assign(copy.style, { font, padding, letterSpacing });
    const draw = () => {
      const parts = field.value.split(/(\{\{|\}\}|\{[^{}]*\})/);
      copy.replaceChildren(...parts.map((part) => (/^\{[^{]/.test(part) ? make("mark", known.includes(part.slice(1, -1)) ? "" : "is-unknown", part) : part)), "\n");
      copy.scrollTop = field.scrollTop;
    };
    field.addEventListener("input", draw);
    field.addEventListener("scroll", () => (copy.scrollTop = field.scrollTop));
    draw();
    return editor;
  };

  /* Placeholders: those that the field knows can be inserted, those that it doesn't know are named. */
  const showFacts = (field, place) => {
    if (field.dataset.placeholders === undefined) return;
    const known = field.dataset.placeholders.split(" ").filter(Boolean);
    const used = new Set([...field.value.replace(/\{\{|\}\}/g, "").matchAll(/\{([^{}]*)\}/g)].map((found) => found[1]));
    const chips = known.map((name) => {
      const chip = Object.assign(make("button", `agent-chip${used.has(name) ? " is-used" : ""}`, `{${name}}`), { type: "button" });
      chip.setAttribute("aria-label", word(used.has(name) ? "Insert {name}, which is used" : "Insert {name}", { name: `{${name}}` }));
      chip.addEventListener("click", () => {
        field.setRangeText(`{${name}}`, field.selectionStart, field.selectionEnd, "end");
        field.dispatchEvent(new Event("input", { bubbles: true }));
        field.focus();
      });
      return chip;
    });
    const unknown = [...used].filter((name) => !known.includes(name)).map((name) => make("span", "agent-chip is-unknown", word("{name} is not known here", { name: `{${name}}` })));
    place.replaceChildren(...chips, ...unknown);
  };

  for (const field of document.querySelectorAll(".agent-part textarea.prompt:not([name*=__prefix__])")) setUp(field);
  preview(document.querySelector("[data-prompt-preview]"), make);
});

/* Where a section says in one line what it is: its title, which opens it. */
function sectionTitle(field) {
  return field.dataset.section === undefined ? null : field.closest(".form-group")?.querySelector("h3");
}

/* What the model gets, for the texts as they stand in the form. Asked for 300 ms after typing, and the last answer counts. */
function preview(box, make) {
  if (!box) return;
  const form = box.closest("form");
  const [text, facts] = [box.querySelector("[data-preview-text]"), box.querySelector("[data-preview-facts]")];
  const state = { requestNumber: 0, timer: 0 };

  const texts = () => {
    const sections = {};
    for (const row of document.querySelectorAll("[data-section]")) sections[row.dataset.section] = { text: row.value, isEnabled: enabled(row) };
    return { systemPrompt: form.elements.system_prompt?.value ?? "", sections };
  };
  const enabled = (field) => {
    const chosen = form.elements[field.name.replace(/-text$/, "-is_enabled")];
    return (chosen?.value || chosen?.dataset.below) !== "off";
  };

  const ask = async () => {
    const number = ++state.requestNumber;
    try {
      const response = await fetch(box.dataset.promptPreview, {
        method: "POST",
        headers: { "content-type": "application/json", "x-csrftoken": form.elements.csrfmiddlewaretoken.value },
        body: JSON.stringify(texts()),
      });
      const preview = await response.json();
      if (number !== state.requestNumber) return;
      if (!response.ok) throw new Error(preview.error?.message ?? word("The preview could not be made."));
      draw(preview);
    } catch (problem) {
      if (number === state.requestNumber) facts.textContent = `${problem.message} ${word("The preview shows the last text that could be composed.")}`;
    }
  };
  const draw = (preview) => {
    const count = (number) => new Intl.NumberFormat(document.documentElement.lang).format(number);
    facts.textContent = word("{tokens} tokens of at most {most}, {cached} of them cached", { tokens: count(preview.tokens), most: count(preview.maxTokens), cached: count(preview.stableTokens) });
    facts.classList.toggle("is-bad", preview.tokens > preview.maxTokens);
    for (const field of document.querySelectorAll("[data-section]")) {
      const tokens = preview.sectionTokens[field.dataset.section];
      const place = sectionTitle(field)?.querySelector(".agent-section-tokens");
      if (place && tokens !== undefined) place.textContent = word("{tokens} tokens", { tokens: count(tokens) });
    }
    const parts = [];
    if (preview.stable) parts.push(make("p", "agent-preview-head", word("Cached prefix, {tokens} tokens, the same for every member", { tokens: count(preview.stableTokens) })), make("pre", "agent-preview-stable", preview.stable));
    if (preview.changing) parts.push(make("p", "agent-preview-head", word("Changes by member and day, {tokens} tokens", { tokens: count(preview.tokens - preview.stableTokens) })), make("pre", "agent-preview-changing", preview.changing));
    text.replaceChildren(...parts);
  };

  form.addEventListener("input", (event) => {
    if (!event.target.closest("#part-prompt")) return;
    clearTimeout(state.timer);
    state.timer = setTimeout(ask, 300);
  });
  ask();
}
