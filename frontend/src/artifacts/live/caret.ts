import { colourOf, type OtherWriter } from './writers'

/** The bar of another writer, with the name until `namedUntil` (in the time of `performance.now()`). */
export function caretElement(writer: OtherWriter, namedUntil: number): HTMLElement {
  const caret = document.createElement('span')
  caret.className = `cm-writer writer-${colourOf(writer)}`
  caret.dataset['writer'] = writer.name // drawn by the style sheet, so that it is no part of the text
  const left = namedUntil - performance.now()
  caret.classList.toggle('cm-writer-named', left > 0)
  if (left > 0) setTimeout(() => caret.classList.remove('cm-writer-named'), left) // does no harm once the bar is gone
  return caret
}
