// Amounts of money in words. Costs are shown in the organization's currency; limits and budgets are in US dollars.
import { numberText } from '../language/formats'

type Currency = { code: string; perUsd: number }
const DOLLARS: Currency = { code: 'USD', perUsd: 1 }
const WITHOUT_CENTS = ['JPY', 'KRW']

let shown = DOLLARS

/** Shows costs in this currency from now on; in US dollars without one. */
export function showCostsIn(currency: Currency | undefined): void {
  shown = currency ?? DOLLARS
}

/** The currency that costs are shown in; undefined for US dollars. */
export const foreignCurrency = (): Currency | undefined => (shown.code === DOLLARS.code ? undefined : shown)

/** A cost: `$2.10`, `$0.031`, `$0.0004`, `€1.93`. */
export const money = (usd: number): string => amountIn(shown.code, usd * shown.perUsd)

/** Money of a limit or a budget: `$2.10`. */
export const dollars = (usd: number): string => amountIn(DOLLARS.code, usd)

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
