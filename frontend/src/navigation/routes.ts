export type Route = { readonly page: 'new' } | { readonly page: 'conversation'; readonly id: string; readonly messageId?: string } | { readonly page: 'unknown' }

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i

export const homePath = (slug: string): string => `/o/${slug}/`
/** `messageId`: where to open it. */
export const conversationPath = (slug: string, id: string, messageId?: string): string => `/o/${slug}/c/${id}/${messageId ? `#m-${messageId}` : ''}`

/** The route of a path in this organization. Other paths, and invalid ids, are `unknown`. `hash`: may name a message. */
export function parseRoute(path: string, slug: string, hash = ''): Route {
  const home = homePath(slug)
  const full = path.endsWith('/') ? path : `${path}/`
  if (full === home) return { page: 'new' }
  const [folder, id, rest] = full.startsWith(home) ? full.slice(home.length).split('/') : []
  if (folder !== 'c' || !id || rest !== '' || !UUID.test(id)) return { page: 'unknown' }
  const messageId = hash.startsWith('#m-') ? hash.slice(3) : ''
  return UUID.test(messageId) ? { page: 'conversation', id, messageId } : { page: 'conversation', id }
}
