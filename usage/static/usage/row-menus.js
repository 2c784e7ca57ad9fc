/* Menus of rows are popovers: Escape and a click elsewhere close them, and the focus goes back to their button. Here they get their place. */
for (const menu of document.querySelectorAll("[data-row-menu]")) {
  const button = document.querySelector(`[popovertarget="${menu.id}"]`);
  const links = [...menu.querySelectorAll("a")];
  menu.addEventListener("toggle", (event) => {
    if (event.newState !== "open") return;
    const [from, own] = [button.getBoundingClientRect(), menu.getBoundingClientRect()];
    const below = from.bottom + own.height <= window.innerHeight;
    menu.style.left = `${Math.max(8, Math.min(from.right, window.innerWidth - 8) - own.width)}px`;
    menu.style.top = `${Math.max(8, below ? from.bottom : from.top - own.height)}px`;
    links[0].focus({ preventScroll: true });
  });
  menu.addEventListener("keydown", (event) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (!step) return;
    event.preventDefault();
    links.at((links.indexOf(document.activeElement) + step) % links.length).focus();
  });
}
document.addEventListener("scroll", () => document.querySelector("[data-row-menu]:popover-open")?.hidePopover(), { capture: true, passive: true });
