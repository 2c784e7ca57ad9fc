/* Tabs of an agent's page. Without this script all parts stand below each other (admin_config/admin/agents/tabs.py).
   The open tab is part of the address, and of the form's, so that a save comes back to it. */
document.addEventListener("DOMContentLoaded", () => {
  const list = document.querySelector(".agent-tabs");
  if (!list) return;
  const form = list.closest("form");
  const tabs = [...list.querySelectorAll('[role="tab"]')];
  const partOf = (tab) => document.getElementById(tab.getAttribute("aria-controls"));
  const tabOf = (element) => tabs.find((tab) => partOf(tab).contains(element));

  const open = (tab, { focus = false } = {}) => {
    for (const each of tabs) {
      const isOpen = each === tab;
      each.setAttribute("aria-selected", String(isOpen));
      each.tabIndex = isOpen ? 0 : -1;
      partOf(each).hidden = !isOpen;
    }
    const address = location.pathname + location.search + (tab === tabs[0] ? "" : `#${tab.id.replace("tab-", "")}`);
    history.replaceState(history.state, "", address);
    form.action = address;
    tab.scrollIntoView({ block: "nearest", inline: "nearest" });
    if (focus) tab.focus();
    partOf(tab).dispatchEvent(new CustomEvent("agent:opened", { bubbles: true }));
  };

  /* Open the tab, the group and the row in which a field is, and focus it. */
  const show = (field) => {
    open(tabOf(field));
    const row = field.closest(".form-group")?.querySelector("h3 strong[aria-expanded='false']");
    if (row) row.click();
    field.dispatchEvent(new CustomEvent("agent:reveal", { bubbles: true }));
    const target = field.matches("input, select, textarea") ? field : (field.querySelector("input:not([type=hidden]), select, textarea, a, button") ?? field);
    requestAnimationFrame(() => {
      target.scrollIntoView({ block: "center" });
      target.focus({ preventScroll: true });
    });
  };

  list.addEventListener("click", (event) => {
    const tab = event.target.closest('[role="tab"]');
    if (tab) open(tab);
  });
  list.addEventListener("keydown", (event) => {
    const at = tabs.indexOf(document.activeElement);
    const to = { ArrowRight: at + 1, ArrowLeft: at - 1, Home: 0, End: tabs.length - 1 }[event.key];
    if (to === undefined || at < 0) return;
    event.preventDefault();
    open(tabs[(to + tabs.length) % tabs.length], { focus: true });
  });

  document.addEventListener("click", (event) => {
    const link = event.target.closest(".parley-errors a, a[data-open-field]");
    const field = link && document.getElementById(link.hash.slice(1));
    if (!field || !tabOf(field)) return;
    event.preventDefault();
    show(field);
  });
  document.addEventListener("click", (event) => {
    const link = event.target.closest("a[data-open-tab]");
    const tab = link && document.getElementById(`tab-${link.dataset.openTab}`);
    if (!tab) return;
    event.preventDefault();
    open(tab, { focus: true });
  });

  /* A dot at each tab on which something was changed and not saved. */
  const changed = (event) => {
    if (!event.target.name) return;
    const mark = tabOf(event.target)?.querySelector(".agent-tab-changed");
    if (mark) mark.hidden = false;
  };
  form.addEventListener("input", changed);
  form.addEventListener("change", changed);

  list.classList.add("is-ready");
  const named = document.getElementById(`tab-${location.hash.slice(1)}`);
  const field = location.hash.length > 1 ? document.getElementById(location.hash.slice(1)) : null;
  const withErrors = tabs.find((tab) => tab.querySelector(".agent-tab-errors"));
  open(withErrors ?? (tabs.includes(named) ? named : null) ?? tabs[0]);
  if (!withErrors && field && tabOf(field)) show(field);
});
