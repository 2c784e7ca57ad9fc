// Dates and numbers as the language of the page writes them. Read when something is drawn: the language can change.
import { i18n } from '@lingui/core'

const formats = new Map<string, Intl.DateTimeFormat | Intl.NumberFormat>()

/** Making a format costs 50 microseconds, and a list writes many dates. */
function cachedFormat<F extends Intl.DateTimeFormat | Intl.NumberFormat>(key: string, make: () => F): F {
  const format = (formats.get(key) as F | undefined) ?? make()
  formats.set(key, format)
  return format
}

/** English dates have the day before the month. */
const dateLocale = (): string => (i18n.locale === 'en' ? 'en-GB' : i18n.locale)

/** A date with the parts that `options` name, such as `13 Nov`. */
export function dateText(time: Date | number | string, options: Intl.DateTimeFormatOptions, locale = dateLocale()): string {
  return cachedFormat(`date ${locale} ${JSON.stringify(options)}`, () => new Intl.DateTimeFormat(locale, options)).format(new Date(time))
}

/** A whole date in one of the usual lengths, such as `November 23, 2026`. */
export const fullDate = (time: Date | number | string, dateStyle: 'long' | 'medium'): string => dateText(time, { dateStyle }, i18n.locale)

/** A number such as `1,234.5`. */
export function numberText(value: number, options: Intl.NumberFormatOptions = {}): string {
  return cachedFormat(`number ${i18n.locale} ${JSON.stringify(options)}`, () => new Intl.NumberFormat(i18n.locale, options)).format(value)
}
