/* A text of these scripts in the reader's language (admin_config/admin/sites/script_texts.py), with values for its {names}. */
function word(text, values = {}) {
  const words = document.getElementById("parley-words");
  word.known ??= words ? JSON.parse(words.textContent) : {};
  return (word.known[text] ?? text).replace(/\{(\w+)\}/g, (whole, name) => values[name] ?? whole);
}

/* What the theme writes as inline code, registered by name: Alpine's CSP build evaluates no globals. */
document.addEventListener("alpine:init", () => {
  Alpine.data("theme", theme);
  Alpine.data("searchForm", searchForm);
  Alpine.data("page", (primaryTab) => ({
    activeTab: getCurrentTab() || primaryTab,
    sidebarMobileOpen: false,
    sidebarDesktopOpen: localStorage.getItem("sidebarDesktopOpen") !== "0",
    toggleSidebar() {
      this.sidebarDesktopOpen = !this.sidebarDesktopOpen;
      localStorage.setItem("sidebarDesktopOpen", this.sidebarDesktopOpen ? "1" : "0");
    },
  }));
});

/* A link of the list of errors leads to its field, ready to be typed in. The page of an agent opens the field's tab first (agent-tabs.js). */
document.addEventListener("click", (event) => {
  const link = event.target.closest(".parley-errors a");
  const field = link && document.getElementById(link.hash.slice(1));
  if (!field || document.querySelector(".agent-tabs")) return;
  event.preventDefault();
  field.focus();
});

/* The theme's icons are ligatures of words, which screen readers would read as part of each link, or alone. */
document.addEventListener("DOMContentLoaded", () => {
  for (const icon of document.querySelectorAll("a .material-symbols-outlined, button .material-symbols-outlined")) {
    icon.setAttribute("aria-hidden", "true");
    const holder = icon.closest("a, button");
    const isNamed = holder.matches("[aria-label], [aria-labelledby], [title]") || holder.textContent.trim() !== icon.textContent.trim();
    const name = { forum: word("Start page"), shield_person: word("Start page"), search: word("Search") }[icon.textContent.trim()];
    if (!isNamed && name) holder.setAttribute("aria-label", name);
  }
});

/* On a phone each value of a row is named after its column, which the theme writes as Django has it: in small letters. */
document.addEventListener("DOMContentLoaded", () => {
  for (const cell of document.querySelectorAll("[data-label]")) {
    const { label } = cell.dataset;
    cell.dataset.label = label.charAt(0).toUpperCase() + label.slice(1);
  }
});

/* The theme's boxes that scroll are regions, all of one name: each gets its own, before the theme's script reads it. */
document.addEventListener("DOMContentLoaded", () => {
  document.querySelectorAll("[data-simplebar]").forEach((box, place) => {
    box.dataset.simplebarAriaLabel ??= box.id === "nav-sidebar-apps" ? word("Pages") : word("List {place}", { place });
  });
});

/* Django keeps a group open for an error in a field of its own line only. */
document.addEventListener("DOMContentLoaded", () => {
  for (const group of document.querySelectorAll("#content-main details")) {
    group.open = group.open || group.querySelector(".errorlist") !== null;
  }
});

/* The theme's rows open with a click on their title: the keyboard can do it too, and a screen reader says which are open. */
document.addEventListener("DOMContentLoaded", () => {
  for (const row of document.querySelectorAll('.form-group[x-data*="openRow"]:not(.empty-form)')) {
    const heading = row.querySelector("h3");
    const title = heading?.querySelector("strong");
    if (!title) continue;
    const tell = () => title.setAttribute("aria-expanded", String(heading.classList.contains("border-b")));
    title.setAttribute("role", "button");
    title.tabIndex = 0;
    title.addEventListener("keydown", (event) => {
      if (event.key !== "Enter" && event.key !== " ") return;
      event.preventDefault();
      title.click();
    });
    new MutationObserver(tell).observe(heading, { attributeFilter: ["class"] });
    tell();
  }
});

/* A source of tools is tried in two steps: what goes out is shown, then sent. Other arguments are shown again first. */
document.addEventListener("DOMContentLoaded", () => {
  const trial = document.querySelector("[data-trial]");
  if (!trial) return;
  const [given, send] = [trial.querySelector("textarea"), trial.querySelector('[data-trial-step="send"]')];
  const [request, answer] = [trial.querySelector("[data-trial-request]"), trial.querySelector("[data-trial-answer]")];
  const show = (place, text) => {
    place.textContent = text;
    place.hidden = text === "";
  };
  const ask = async (isSent) => {
    const body = JSON.stringify({ arguments: JSON.parse(given.value || "{}"), send: isSent });
    const token = document.querySelector("[name=csrfmiddlewaretoken]").value;
    const response = await fetch(trial.dataset.trial, {
      method: "POST",
      headers: { "content-type": "application/json", "x-csrftoken": token },
      body,
    });
    const reply = await response.json();
    if (!response.ok) throw new Error(reply.error?.message ?? word("This did not work."));
    return reply;
  };
  const step = async (isSent) => {
    show(answer, isSent ? "…" : "");
    try {
      const reply = await ask(isSent);
      show(request, reply.request);
      if (isSent) show(answer, reply.error ?? JSON.stringify(reply.result, null, 2));
      send.hidden = false;
    } catch (problem) {
      send.hidden = true;
      show(answer, problem.message);
    }
  };
  given.addEventListener("input", () => {
    send.hidden = true;
  });
  trial.querySelector('[data-trial-step="show"]').addEventListener("click", () => step(false));
  send.addEventListener("click", () => step(true));
});

/* Logs: times in the viewer's zone, filters that take effect when they are chosen, "/" for the search, and letters that follow links. */
document.addEventListener("DOMContentLoaded", () => {
  const log = document.querySelector(".parley-log");
  if (!log) return;
  showLocalTimes(log);
  const form = log.querySelector("form[role=search]");
  if (form) filterAtOnce(form);
  document.addEventListener("keydown", (event) => {
    if (event.target.matches("input, textarea, select") || event.ctrlKey || event.metaKey || event.altKey) return;
    const link = log.querySelector(`a[data-key="${CSS.escape(event.key)}"]`);
    if (link) link.click();
    if (event.key !== "/" || !form?.elements.q) return;
    event.preventDefault();
    form.elements.q.focus();
  });
});

function showLocalTimes(log) {
  const language = document.documentElement.lang === "en" ? "en-GB" : document.documentElement.lang; // the day first and 24 hours, as the server writes
  const short = new Intl.DateTimeFormat(language, { day: "numeric", month: "short", hour: "2-digit", minute: "2-digit" });
  const full = new Intl.DateTimeFormat(language, { dateStyle: "medium", timeStyle: "long" });
  for (const time of log.querySelectorAll("time[data-local]")) {
    const at = new Date(time.dateTime);
    time.title = full.format(at);
    time.textContent = (time.dataset.local === "full" ? full : short).format(at);
  }
  for (const place of log.querySelectorAll("[data-zone]")) {
    const parts = new Intl.DateTimeFormat(language, { timeZoneName: "short" }).formatToParts(new Date());
    place.textContent = `(${parts.find((part) => part.type === "timeZoneName").value})`;
  }
}

function filterAtOnce(form) {
  const [dates, zone] = [form.querySelector("[data-dates]"), form.elements.tz];
  const areDates = () => form.elements.period.value === "dates";
  if (zone) zone.value = Intl.DateTimeFormat().resolvedOptions().timeZone;
  for (const select of form.querySelectorAll("select")) {
    select.addEventListener("change", () => {
      if (dates) dates.hidden = !areDates();
      if (select.name !== "period" || !areDates()) form.requestSubmit();
    });
  }
  form.addEventListener("submit", () => {
    if (zone) zone.disabled = !areDates();
    for (const field of form.elements) if (field.name && !field.value) field.disabled = true;
  });
}

/* Rows of a name and a value (admin_config/forms/fields/pair_rows.py): another blank one below the last. */
document.addEventListener("DOMContentLoaded", () => {
  for (const button of document.querySelectorAll("[data-add-pair]")) {
    button.hidden = false;
    button.addEventListener("click", () => {
      const rows = button.parentElement.querySelectorAll("[data-pair]");
      const row = rows[rows.length - 1].cloneNode(true);
      for (const input of row.querySelectorAll("input")) {
        input.value = "";
        input.removeAttribute("id");
      }
      for (const choice of row.querySelectorAll("select")) choice.selectedIndex = 0;
      button.before(row);
      row.querySelector("input:not([type=hidden])").focus();
    });
  }
});
