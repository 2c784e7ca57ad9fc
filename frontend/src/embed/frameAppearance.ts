// Theme and accent of the frame, as the page around it wants them, now and later.
import { showAccent } from '../ui/accent'
import { showTheme } from '../ui/theme'
import { frameBoot } from './boot'
import { onConfig } from './port'
import type { FrameConfig } from './protocol'

function show({ theme, accent }: FrameConfig): void {
  showTheme(theme === 'auto' ? 'system' : theme)
  showAccent(accent || frameBoot.organization.accentColor)
}

export function startAppearance(config: FrameConfig): void {
  matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => show(config))
  show(config)
  onConfig((later) => {
    config = later
    show(later)
  })
}
