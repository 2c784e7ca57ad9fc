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
