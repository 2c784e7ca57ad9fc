// Amounts of money in words. Pure.

/** `$2.10`, `$0.031`, `$0.0004`. */
export function money(usd: number): string {
  if (usd >= 1 || usd === 0) return `$${usd.toLocaleString('en', { minimumFractionDigits: 2, maximumFractionDigits: 2 })}`
  if (usd < 0.00005) return '< $0.0001'
  return `$${usd.toFixed(usd < 0.01 ? 4 : 3)}`
}
