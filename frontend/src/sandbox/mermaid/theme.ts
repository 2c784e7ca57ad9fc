// The page's colours for diagrams. Mermaid computes with them and knows no oklch, so they stand here as styles/tokens.css shows them.
import type { Theme } from './messages'

/** The page's font, which the page hands over: the frame may load nothing. */
export const FONT_NAME = 'Inter Variable'
export const FONT_WEIGHTS = '100 900'
export const FONT = `'${FONT_NAME}', ui-sans-serif, system-ui, sans-serif`

type Colours = Readonly<Record<'bg' | 'raise' | 'side' | 'line' | 'fg' | 'fg2' | 'accent' | 'soft' | 'ok' | 'okSoft' | 'warn' | 'warnSoft' | 'bad' | 'badSoft', string>>

const COLOURS: Record<Theme, Colours> = {
  light: {
    ...{ bg: '#fdfdfc', raise: '#ffffff', side: '#f7f6f3', line: '#cdcac4', fg: '#1e2027', fg2: '#4d4f57' },
    ...{ accent: '#3b5bd6', soft: '#ebf0ff', ok: '#25804a', okSoft: '#e6f7ea', warn: '#985c00', warnSoft: '#fdf3e2', bad: '#c0272d', badSoft: '#ffecea' },
  },
  dark: {
    ...{ bg: '#16171b', raise: '#202126', side: '#111215', line: '#464950', fg: '#ebebee', fg2: '#b6b7bd' },
    ...{ accent: '#8aa2ff', soft: '#232c4d', ok: '#69c98a', okSoft: '#163322', warn: '#e5ad5c', warnSoft: '#352612', bad: '#f58a82', badSoft: '#421e1d' },
  },
}

const SERIES = ['accent', 'ok', 'warn', 'bad', 'fg2'] as const
const SERIES_SOFT = ['soft', 'okSoft', 'warnSoft', 'badSoft', 'side'] as const
const MAX_SERIES = 12

const numbered = (prefix: string, colours: readonly string[], first = 0): Record<string, string> =>
  Object.fromEntries(Array.from({ length: MAX_SERIES }, (_, index) => [`${prefix}${index + first}`, colours[index % colours.length] ?? '']))

/** Mermaid's theme variables: https://mermaid.js.org/config/theming.html */
export function themeVariables(theme: Theme): Record<string, unknown> {
  const { bg, raise, side, line, fg, fg2, accent, soft, warn, warnSoft, bad, badSoft } = COLOURS[theme]
  const strong = SERIES.map((name) => COLOURS[theme][name])
  const pale = SERIES_SOFT.map((name) => COLOURS[theme][name])
  const axis = { LabelColor: fg2, TitleColor: fg2, TickColor: line, LineColor: line }
  const axes = Object.fromEntries(['xAxis', 'yAxis'].flatMap((name) => Object.entries(axis).map(([part, colour]) => [`${name}${part}`, colour])))
  return {
    ...{ dropShadow: 'none', useGradient: false, darkMode: theme === 'dark', background: bg, fontFamily: FONT, fontSize: '15px', textColor: fg, titleColor: fg, lineColor: fg2 },
    ...{ primaryColor: soft, primaryTextColor: fg, primaryBorderColor: accent, mainBkg: soft, nodeBorder: accent, nodeTextColor: fg, edgeLabelBackground: bg },
    ...{ secondaryColor: pale[1], secondaryTextColor: fg, secondaryBorderColor: strong[1], tertiaryColor: side, tertiaryTextColor: fg, tertiaryBorderColor: line, clusterBkg: side, clusterBorder: line },
    ...{ noteBkgColor: warnSoft, noteTextColor: fg, noteBorderColor: warn, errorBkgColor: badSoft, errorTextColor: bad },
    ...{ actorBkg: raise, actorBorder: accent, actorTextColor: fg, actorLineColor: line, signalColor: fg2, signalTextColor: fg, labelBoxBkgColor: soft, labelBoxBorderColor: accent, labelTextColor: fg, loopTextColor: fg, activationBkgColor: soft, activationBorderColor: accent, sequenceNumberColor: bg },
    ...{ sectionBkgColor: side, altSectionBkgColor: bg, sectionBkgColor2: soft, taskBkgColor: soft, taskBorderColor: accent, taskTextColor: fg, taskTextDarkColor: fg, taskTextOutsideColor: fg, activeTaskBkgColor: soft, activeTaskBorderColor: accent, gridColor: line, todayLineColor: bad, doneTaskBkgColor: side, doneTaskBorderColor: line, critBkgColor: badSoft, critBorderColor: bad },
    ...numbered('pie', strong, 1),
    ...{ pieStrokeColor: bg, pieOuterStrokeColor: bg, pieSectionTextColor: bg, pieTitleTextColor: fg, pieLegendTextColor: fg, pieOpacity: '1' },
    ...numbered('cScale', pale),
    ...numbered('cScaleLabel', [fg]),
    ...numbered('git', strong),
    ...numbered('fillType', pale),
    ...{ commitLabelColor: fg, commitLabelBackground: side, labelColor: fg, altBackground: side, attributeBackgroundColorOdd: raise, attributeBackgroundColorEven: side, classText: fg, relationColor: fg2 },
    xyChart: { backgroundColor: 'transparent', titleColor: fg, plotColorPalette: strong.map((_, index) => strong[(index * 2) % strong.length]).join(','), ...axes },
  }
}
