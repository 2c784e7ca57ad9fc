/* Menus of rows are popovers: Escape and a click elsewhere close them, and the focus goes back to their button. Here they get their place. */
for (const menu of document.querySelectorAll("[data-row-menu]")) {
  const links = [...menu.querySelectorAll("a")];
  menu.addEventListener("beforetoggle", () => place(menu)); // "toggle" comes after a frame in the middle of the screen
  menu.addEventListener("toggle", (event) => {
    if (event.newState !== "open") return;
    place(menu);
    links[0].focus({ preventScroll: true });
  });
  menu.addEventListener("keydown", (event) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (!step) return;
    event.preventDefault();
    links.at((links.indexOf(document.activeElement) + step) % links.length).focus();
  });
}

for (const event of ["scroll", "resize"]) {
  window.addEventListener(event, () => document.querySelectorAll("[data-row-menu]:popover-open").forEach(place), { capture: true, passive: true });
}

function place(menu) {
  const [button, own] = [document.querySelector(`[popovertarget="${menu.id}"]`).getBoundingClientRect(), menu.getBoundingClientRect()];
  const isRoomBelow = button.bottom + own.height <= window.innerHeight;
  const width = own.width || 192; // of one that is not shown yet, as usage.css has it at least
  menu.style.left = `${Math.max(8, Math.min(button.right, window.innerWidth - 8) - width)}px`;
  menu.style.top = `${Math.max(8, isRoomBelow ? button.bottom : button.top - own.height)}px`;
}
