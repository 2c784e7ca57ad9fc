import { boot } from '../api/boot'

/** Shows the organization's accent colour. */
export const startAccent = (): void => showAccent(boot.organization?.accentColor)

/** Shows an accent colour. The style sheet keeps its hue and sets the lightness, so that texts stay readable. */
export function showAccent(color: string | undefined): void {
  if (!color) return
  document.documentElement.style.setProperty('--brand', color)
  document.documentElement.dataset.brand = ''
}
