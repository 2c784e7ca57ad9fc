/** The texts whose title is set here. */
const titledTexts = new WeakSet<Element>()

/** A text that is cut shows all of itself as a tooltip. A title that it has from the page, or that is around it, stays. */
export function showCutTexts(): void {
  addEventListener('pointerover', ({ target }) => {
    const text = target instanceof Element ? target.closest<HTMLElement>('.truncate') : null
    if (!text || (!titledTexts.has(text) && text.closest('[title]'))) return
    titledTexts.add(text)
    text.title = text.scrollWidth > text.clientWidth ? text.innerText : ''
  })
}
