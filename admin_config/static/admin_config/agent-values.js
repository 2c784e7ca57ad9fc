/* The values of an agent by provider: only those that are set, and a walk through the cells by arrow keys.
   Without this script all rows are shown, and Tab goes from link to link. */
document.addEventListener("DOMContentLoaded", () => {
  const values = document.querySelector(".agent-values");
  if (!values) return;
  const table = values.querySelector("table");

  const filter = values.querySelector("[data-set-only]");
  const nothing = values.querySelector("[data-none-set]");
  filter.hidden = false;
  filter.addEventListener("click", () => {
    const isOn = filter.getAttribute("aria-pressed") !== "true";
    filter.setAttribute("aria-pressed", String(isOn));
    values.classList.toggle("is-set-only", isOn);
    if (nothing) nothing.hidden = !isOn;
    enter(first());
  });

  /* The links of each row that is shown. The first row is that of the providers, which have no link for the platform and the base. */
  const links = () => [...table.rows].map((row) => [...row.cells].map((cell) => cell.querySelector("a"))).filter((row) => row.some((link) => link?.offsetParent));
  const enter = (link) => {
    for (const each of table.querySelectorAll("a")) each.tabIndex = each === link ? 0 : -1;
  };
  const first = () => links().flat().find(Boolean);
  const nearest = (row, column) => row[column] ?? row.find(Boolean);

  table.addEventListener("keydown", (event) => {
    const rows = links();
    const at = rows.findIndex((row) => row.includes(document.activeElement));
    if (at < 0 || event.altKey || event.ctrlKey || event.metaKey) return;
    const column = rows[at].indexOf(document.activeElement);
    const inRow = rows[at].filter(Boolean);
    const place = inRow.indexOf(document.activeElement);
    const to = {
      ArrowDown: () => rows[at + 1] && nearest(rows[at + 1], column),
      ArrowUp: () => rows[at - 1] && nearest(rows[at - 1], column),
      ArrowRight: () => inRow[place + 1],
      ArrowLeft: () => inRow[place - 1],
      Home: () => inRow[0],
      End: () => inRow.at(-1),
    }[event.key];
    if (!to) return;
    event.preventDefault();
    const link = to();
    if (!link) return;
    enter(link);
    link.focus();
  });
  table.addEventListener("focusin", (event) => event.target.matches("a") && enter(event.target));

  table.setAttribute("role", "grid");
  values.querySelector("[data-keys]").hidden = false;
  enter(table.querySelector("a"));
});
