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

/* The theme's icons are ligatures of words, which screen readers would read as part of each link. */
document.addEventListener("DOMContentLoaded", () => {
  for (const icon of document.querySelectorAll("a .material-symbols-outlined, button .material-symbols-outlined")) {
    icon.setAttribute("aria-hidden", "true");
  }
});
