// The sections of the settings and their addresses. Pure.

export const SECTION_NAMES = ['profile', 'appearance', 'chat', 'instructions', 'keys', 'tokens', 'security', 'usage', 'data'] as const
export type SectionName = (typeof SECTION_NAMES)[number]
export type Place = SectionName | 'list'

const START = '#settings'

export const settingsHash = (place: Place): string => (place === 'list' ? START : `${START}/${place}`)

/** The place that an address names; null where it names none. An unknown section is the list. */
export function placeOf(hash: string): Place | null {
  if (hash !== START && !hash.startsWith(`${START}/`)) return null
  const name = hash.slice(START.length + 1)
  return SECTION_NAMES.find((one) => one === name) ?? 'list'
}
