/* The list of runs: a time that is chosen over several bars, counts at the views, and rows that go on.
   Without this script each bar is a link to its own time, and the rest stays as it was when the page was opened. */
const ASK_AGAIN_MS = 4000;

document.addEventListener("DOMContentLoaded", () => {
  const histogram = document.querySelector(".parley-runs-histogram");
  if (histogram?.querySelector("svg a")) new BarSpan(histogram);
  const views = document.querySelector("[data-counts]");
  if (views) showCounts(views);
  const list = document.querySelector("[data-rows]");
  if (list?.querySelector("[data-live]")) new LiveRows(list);
});

/* Dragged over the bars, or from one to another with Shift. Each bar's link has its beginning and its end (chat/explorer/histogram.py). */
class BarSpan {
  constructor(histogram) {
    this.svg = histogram.querySelector("svg");
    this.links = [...this.svg.querySelectorAll("a")];
    this.rows = [...histogram.querySelectorAll("tbody a")];
    this.status = histogram.querySelector("[data-span-status]");
    histogram.querySelector("[data-span-help]").hidden = false;
    const shown = this.links.filter((link) => link.querySelector(".is-shown"));
    this.from = null; // the bar under the pointer when it was pressed
    this.anchor = shown.length === 1 ? this.links.indexOf(shown[0]) : null; // where Shift extends from
    this.svg.addEventListener("pointerdown", (event) => this.press(event));
    this.svg.addEventListener("pointermove", (event) => this.move(event));
    this.svg.addEventListener("pointerup", () => this.release());
    this.svg.addEventListener("pointercancel", () => this.cancel());
    this.svg.addEventListener("dragstart", (event) => event.preventDefault()); // of the link below the pointer
    histogram.addEventListener("click", (event) => this.click(event), true);
    document.addEventListener("keydown", (event) => event.key === "Escape" && this.cancel());
  }

  press(event) {
    this.isDragged = false;
    this.from = event.isPrimary && event.button === 0 && !event.shiftKey ? this.placeAt(event) : null;
  }

  move(event) {
    if (this.from === null) return;
    const to = this.placeAt(event);
    if (!this.isDragged && to === this.from) return;
    if (!this.isDragged) this.svg.setPointerCapture(event.pointerId);
    this.isDragged = true;
    this.to = to;
    this.draw(this.from, to);
  }

  release() {
    const { from, isDragged } = this;
    this.from = null;
    if (isDragged && from !== null) this.open(from, this.to);
  }

  cancel() {
    if (this.from === null && this.anchor === null) return;
    this.from = null;
    this.anchor = null;
    this.band?.remove();
    this.status.textContent = "";
  }

  /* The click that ends a drag follows no link. Shift and a click, or Enter on a link of the table, choose an end of the span. */
  click(event) {
    if (event.target.closest("svg") && this.isDragged) {
      this.isDragged = false;
      event.preventDefault();
      return;
    }
    const link = event.target.closest("a");
    const place = Math.max(this.links.indexOf(link), this.rows.indexOf(link));
    if (!event.shiftKey || place < 0) return;
    event.preventDefault();
    if (this.anchor !== null) this.open(this.anchor, place);
    else {
      this.anchor = place;
      this.draw(place, place);
    }
  }

  placeAt(event) {
    const box = this.svg.getBoundingClientRect();
    const place = Math.floor(((event.clientX - box.left) / box.width) * this.links.length);
    return Math.min(Math.max(place, 0), this.links.length - 1);
  }

  draw(from, to) {
    const [low, high] = [Math.min(from, to), Math.max(from, to)];
    this.band ??= document.createElementNS("http://www.w3.org/2000/svg", "rect");
    this.band.setAttribute("class", "parley-chart-span");
    const width = this.svg.viewBox.baseVal.width / this.links.length;
    for (const [name, value] of Object.entries({ x: low * width, y: 0, width: (high - low + 1) * width, height: this.svg.viewBox.baseVal.height })) {
      this.band.setAttribute(name, value);
    }
    this.svg.append(this.band);
    const [first, last] = [this.rows[low].textContent, this.links[high].dataset.last];
    this.status.textContent = low === high ? word("{first} is one end. Choose the other.", { first }) : word("{first} to {last}", { first, last });
  }

  open(from, to) {
    const [first, last] = [Math.min(from, to), Math.max(from, to)].map((place) => new URLSearchParams(this.links[place].getAttribute("href")));
    first.set("last", last.get("last"));
    location.search = first.toString();
  }
}

/* How many runs each view has. A page without them is whole, so a failure is not shown. */
async function showCounts(views) {
  const counts = await answerOf(views.dataset.counts, (response) => response.json());
  for (const link of counts ? views.querySelectorAll("a") : []) {
    const count = counts[link.getAttribute("href")];
    if (count) link.append(" ", Object.assign(document.createElement("span"), { className: "parley-runs-count", textContent: count }));
  }
}

/* Rows of runs that go on are asked for while somebody can see the page, until all have ended. */
class LiveRows {
  constructor(list) {
    this.list = list;
    document.addEventListener("visibilitychange", () => this.plan());
    this.plan();
  }

  plan() {
    clearTimeout(this.timer);
    const isOver = !this.list.querySelector("[data-live]");
    if (!isOver && !document.hidden) this.timer = setTimeout(() => this.renew(), ASK_AGAIN_MS);
  }

  async renew() {
    const asked = new URLSearchParams([...this.list.querySelectorAll("[data-live]")].map((row) => ["run", row.dataset.run]));
    const html = await answerOf(`${this.list.dataset.rows}?${asked}`, (response) => response.text());
    if (html) this.take(html);
    this.plan();
  }

  take(html) {
    const holder = document.createElement("template");
    holder.innerHTML = html;
    for (const row of this.list.querySelectorAll("[data-live]")) {
      if (!holder.content.querySelector(`[data-run="${row.dataset.run}"]`)) row.removeAttribute("data-live"); // it was deleted
    }
    for (const newer of holder.content.querySelectorAll("[data-run]")) {
      const older = this.list.querySelector(`[data-run="${newer.dataset.run}"]`);
      showLocalTimes(newer);
      if (!older || older.innerHTML === newer.innerHTML) continue;
      const isFocused = older.contains(document.activeElement);
      older.replaceWith(newer);
      if (isFocused) newer.querySelector("a").focus({ preventScroll: true });
    }
  }
}

/* What the server answers, or null: it can't be reached, or asks to sign in. */
async function answerOf(address, read) {
  try {
    const response = await fetch(address);
    return response.ok && !response.redirected ? await read(response) : null;
  } catch {
    return null;
  }
}
