// What a link of an answer would tell the host that it leads to. Pure.

export type LinkTarget = { readonly host: string; readonly path: string; readonly query: readonly (readonly [string, string])[] }

/** A placeholder of a registered secret: nothing puts the value into a link, and the name is nobody else's business. */
const PLACEHOLDER = /(\{\{|%7b%7b)\s*secret(:|%3a)/i

export const hasPlaceholder = (href: string): boolean => PLACEHOLDER.test(href)

/** Where a link leads and what it carries; undefined: it stays on this host. */
export function linkTarget(href: string, base: string): LinkTarget | undefined {
  let url: URL
  try {
    url = new URL(href, base)
  } catch {
    return { host: '', path: href, query: [] }
  }
  if (url.origin === new URL(base).origin) return undefined
  const query = [...url.searchParams].map(([name, value]) => [name, value] as const)
  const fragment = url.hash.length > 1 ? [['#', decode(url.hash.slice(1))] as const] : []
  return { host: url.host, path: url.protocol === 'mailto:' ? decode(url.pathname) : decode(url.pathname === '/' ? '' : url.pathname), query: [...query, ...fragment] }
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
