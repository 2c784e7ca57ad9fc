export type Route = { readonly page: 'new' } | { readonly page: 'usage' } | { readonly page: 'conversation'; readonly id: string } | { readonly page: 'unknown' }

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i

export const homePath = (slug: string): string => `/o/${slug}/`
export const usagePath = (slug: string): string => `${homePath(slug)}usage/`
export const conversationPath = (slug: string, id: string): string => `/o/${slug}/c/${id}/`

/** The route of a path in this organization. Other paths, and invalid ids, are `unknown`. */
export function parseRoute(path: string, slug: string): Route {
  const home = homePath(slug)
  const full = path.endsWith('/') ? path : `${path}/`
  if (full === home) return { page: 'new' }
  if (full === usagePath(slug)) return { page: 'usage' }
  const [folder, id, rest] = full.startsWith(home) ? full.slice(home.length).split('/') : []
  return folder === 'c' && id && rest === '' && UUID.test(id) ? { page: 'conversation', id } : { page: 'unknown' }
}
