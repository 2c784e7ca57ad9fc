import type { MermaidConfig } from 'mermaid'
import type { Theme } from './messages'
import { FONT, themeVariables } from './theme'

/** What a diagram's %%{init}%% must not change. HTML labels and style text could bring foreign addresses into exported files. */
const SECURE = [
  'secure', 'securityLevel', 'startOnLoad', 'maxTextSize', 'maxEdges', 'suppressErrorRendering', 'htmlLabels', 'themeCSS',
  'fontFamily', 'altFontFamily', 'flowchart', 'journey',
]

export const settingsFor = (theme: Theme): MermaidConfig => ({
  startOnLoad: false,
  securityLevel: 'strict',
  secure: SECURE,
  theme: 'base',
  themeVariables: themeVariables(theme),
  fontFamily: FONT,
  htmlLabels: false,
  flowchart: { htmlLabels: false },
  journey: { textPlacement: 'tspan' }, // the default is a foreignObject, which a canvas cannot export
  maxTextSize: 50_000,
  maxEdges: 500,
  suppressErrorRendering: true,
  deterministicIds: true,
  deterministicIDSeed: 'diagram',
})
