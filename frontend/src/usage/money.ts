// Amounts of money in words, in the organization's currency.
import { numberText } from '../language/formats'

type Currency = { code: string; perUsd: number }
const DOLLARS: Currency = { code: 'USD', perUsd: 1 }
const WITHOUT_CENTS = ['JPY', 'KRW']

let current = DOLLARS

/** Shows amounts in this currency from now on; in US dollars without one. */
export function showCostsIn(currency: Currency | undefined): void {
  current = currency ?? DOLLARS
}

/** The currency that amounts are shown in; undefined for US dollars. */
export const foreignCurrency = (): Currency | undefined => (current.code === DOLLARS.code ? undefined : current)

/** An amount: `$2.10`, `$0.031`, `$0.0004`, `€1.93`. */
export const money = (usd: number): string => amountIn(current.code, usd * current.perUsd)

function amountIn(currency: string, amount: number): string {
  const cents = WITHOUT_CENTS.includes(currency) ? 0 : 2
  if (amount >= 1 || amount === 0) return text(currency, amount, cents)
  if (amount < 0.00005) return `< ${text(currency, 0.0001, 4)}`
  return text(currency, amount, amount < 0.01 ? 4 : 3)
}

const text = (currency: string, amount: number, digits: number): string =>
  numberText(amount, {
    style: 'currency',
    currency,
    currencyDisplay: currency === DOLLARS.code ? 'narrowSymbol' : 'symbol',
    minimumFractionDigits: digits,
    maximumFractionDigits: digits,
  })
