const ICON = 'M21 11.5a8.4 8.4 0 0 1-8.5 8.4c-1.3 0-2.6-.3-3.7-.9L3.5 20.5l1.6-4.8a8.1 8.1 0 0 1-1.1-4.2 8.4 8.4 0 0 1 8.5-8.4 8.4 8.4 0 0 1 8.5 8.4z'

/** The picture on the element's button. */
export function icon(): SVGElement {
  const make = (name: string) => document.createElementNS('http://www.w3.org/2000/svg', name)
  const [picture, path] = [make('svg'), make('path')]
  picture.setAttribute('viewBox', '0 0 24 24')
  picture.setAttribute('aria-hidden', 'true')
  path.setAttribute('d', ICON)
  picture.append(path)
  return picture as SVGElement
}
