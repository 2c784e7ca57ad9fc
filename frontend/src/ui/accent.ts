import { boot } from '../api/boot'

/** Shows the organization's accent colour. The style sheet keeps its hue and sets the lightness, so that texts stay readable. */
export function startAccent(): void {
  const color = boot.organization?.accentColor
  if (!color) return
  document.documentElement.style.setProperty('--brand', color)
  document.documentElement.dataset.brand = ''
}
