// The look of the button and the drawer. The page's own styles do not reach into the shadow root, and these do not reach out.

const CSS = `
:host { display: block; }
:host([hidden]) { display: none; }
:host([mode='drawer']), :host(:not([mode])) { display: contents; }
:host([mode='page']) { height: 100dvh; }
.box { width: 100%; height: 100%; overflow: hidden; }
:host([mode='inline']) .box { min-height: 420px; height: var(--parley-height, 560px); border-radius: 14px; border: 1px solid rgb(120 120 130 / .28); box-sizing: border-box; }
iframe { display: block; width: 100%; height: 100%; border: 0; background: transparent; color-scheme: light dark; }
.drawer { position: fixed; z-index: 2147483000; top: 16px; right: 16px; bottom: 16px; width: min(408px, calc(100vw - 32px)); height: auto; border-radius: 20px;
  box-shadow: 0 2px 6px rgb(20 20 40 / .08), 0 18px 48px -12px rgb(20 20 40 / .28); background: Canvas; }
.drawer[hidden] { display: none; }
button { position: fixed; z-index: 2147482999; right: 16px; bottom: 16px; width: 56px; height: 56px; padding: 0; border: 0; border-radius: 50%; cursor: pointer;
  display: grid; place-items: center; background: var(--accent, #3f51c9); color: #fff; box-shadow: 0 2px 6px rgb(20 20 40 / .12), 0 10px 28px -8px rgb(20 20 40 / .4); }
button[hidden] { display: none; }
button:hover { filter: brightness(1.08); }
button:focus-visible { outline: 3px solid var(--accent, #3f51c9); outline-offset: 3px; }
svg { width: 26px; height: 26px; fill: none; stroke: currentColor; stroke-width: 1.75; stroke-linecap: round; stroke-linejoin: round; }
:host([dir='rtl']) .drawer, :host([dir='rtl']) button { right: auto; left: 16px; }
@media (max-width: 480px) { .drawer { inset: 0; width: 100%; border-radius: 0; } }
@media (prefers-reduced-motion: no-preference) {
  .drawer { animation: parley-in .16s cubic-bezier(.2, .8, .2, 1); }
  @keyframes parley-in { from { opacity: 0; transform: translateY(8px); } }
}
`

let sheet: CSSStyleSheet | undefined

/** One sheet for all elements of the page. A constructed sheet needs no permission in the page's policy. */
export function sharedSheet(): CSSStyleSheet {
  if (!sheet) {
    sheet = new CSSStyleSheet()
    sheet.replaceSync(CSS)
  }
  return sheet
}
