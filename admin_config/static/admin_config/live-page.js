/* A page of states renews itself every 15 seconds while somebody can see it and types nothing. It can be paused. */
const PAUSE_MS = 15000;

document.addEventListener("DOMContentLoaded", () => {
  const place = document.querySelector("[data-live]");
  if (place) new LivePage(place);
});

class LivePage {
  constructor(place) {
    this.place = place;
    this.isPaused = false;
    this.renewedAt = Date.now();
    this.button = document.createElement("button");
    this.button.type = "button";
    this.button.className = "parley-button parley-button-plain";
    this.button.addEventListener("click", () => this.pause(!this.isPaused));
    this.show();
    document.addEventListener("visibilitychange", () => this.plan());
    this.plan();
  }

  pause(isPaused) {
    this.isPaused = isPaused;
    this.show();
    this.plan();
  }

  /* The button stands beside the link that refreshes, also after the part was exchanged. */
  show() {
    this.button.textContent = this.isPaused ? word("Update by itself") : word("Stop updating");
    const bar = this.place.querySelector(".parley-usage-files");
    if (this.button.parentElement !== bar) bar.append(this.button); // moving it would take its focus
  }

  plan() {
    clearTimeout(this.timer);
    if (this.isPaused || document.hidden) return;
    this.timer = setTimeout(() => this.renew(), Math.max(0, this.renewedAt + PAUSE_MS - Date.now()));
  }

  async renew() {
    const address = new URL(location.href);
    address.searchParams.set("part", "1");
    try {
      const response = await fetch(address);
      if (response.ok && !response.redirected && !this.isPaused) this.take(await response.text());
    } catch {
      // the server can't be reached: the time on the page tells its age, and the next try may succeed
    }
    this.renewedAt = Date.now();
    this.plan();
  }

  take(html) {
    const holder = document.createElement("template");
    holder.innerHTML = html;
    const [older, newer] = [this.place.querySelector("[data-live-part]"), holder.content.querySelector("[data-live-part]")];
    if (!newer || !getSelection().isCollapsed) return; // somebody copies a text
    const scrolled = [...older.querySelectorAll("[role=region]")].map((region) => [region.getAttribute("aria-label"), region.scrollLeft]);
    const focused = this.focusedPlace(older);
    older.replaceWith(newer);
    this.show();
    for (const [label, left] of scrolled) {
      const region = newer.querySelector(`[role=region][aria-label="${CSS.escape(label)}"]`);
      if (region) region.scrollLeft = left;
    }
    if (focused === this.button) this.button.focus({ preventScroll: true });
    else if (focused) newer.querySelector(focused)?.focus({ preventScroll: true });
  }

  /* What has the focus, as a selector that finds the same thing in the newer part. */
  focusedPlace(part) {
    const active = document.activeElement;
    if (active === this.button) return active;
    if (!part.contains(active)) return null;
    if (active.matches("[role=region]")) return `[role=region][aria-label="${CSS.escape(active.getAttribute("aria-label"))}"]`;
    const [name, value] = ["formaction", "href"].map((each) => [each, active.getAttribute(each)]).find(([, found]) => found) ?? [];
    if (name) return `[${name}="${CSS.escape(value)}"]`;
    const action = active.form?.getAttribute("action");
    return action ? `form[action="${CSS.escape(action)}"] button` : null;
  }
}
