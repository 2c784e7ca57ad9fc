// Amounts of money in words. Pure.
import { numberText } from '../language/formats'

/** `$2.10`, `$0.031`, `$0.0004`. */
export function money(usd: number): string {
  if (usd >= 1 || usd === 0) return dollars(usd, 2)
  if (usd < 0.00005) return `< ${dollars(0.0001, 4)}`
  return dollars(usd, usd < 0.01 ? 4 : 3)
}

const dollars = (usd: number, digits: number): string =>
  numberText(usd, { style: 'currency', currency: 'USD', currencyDisplay: 'narrowSymbol', minimumFractionDigits: digits, maximumFractionDigits: digits })
