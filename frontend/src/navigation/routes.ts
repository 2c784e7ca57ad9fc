/** Where to open a conversation: at a message, or with a document's panel. */
export type Place = { readonly messageId?: string; readonly artifactId?: string }
export type Route = { readonly page: 'new' } | { readonly page: 'usage' } | { readonly page: 'archive' } | { readonly page: 'project'; readonly id: string } | ({ readonly page: 'conversation'; readonly id: string } & Place) | { readonly page: 'templates'; readonly id?: string } | { readonly page: 'shared'; readonly id: string } | { readonly page: 'unknown' }

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i

export const homePath = (slug: string): string => `/o/${slug}/`
export const usagePath = (slug: string): string => `${homePath(slug)}usage/`
export const archivePath = (slug: string): string => `${homePath(slug)}archive/`
export const projectPath = (slug: string, id: string): string => `${homePath(slug)}p/${id}/`
export const templatesPath = (slug: string, id?: string): string => `${homePath(slug)}templates/${id ? `${id}/` : ''}`
export const sharedPath = (slug: string, id: string): string => `${homePath(slug)}shared/${id}/`
export const conversationPath = (slug: string, id: string, { messageId, artifactId }: Place = {}): string => `/o/${slug}/c/${id}/${messageId ? `#m-${messageId}` : artifactId ? `#d-${artifactId}` : ''}`

/** The route of a path in this organization. Other paths, and invalid ids, are `unknown`. `hash`: may name a message or a document. */
export function parseRoute(path: string, slug: string, hash = ''): Route {
  const home = homePath(slug)
  const full = path.endsWith('/') ? path : `${path}/`
  if (full === home) return { page: 'new' }
  if (full === usagePath(slug)) return { page: 'usage' }
  if (full === archivePath(slug)) return { page: 'archive' }
  if (full === templatesPath(slug)) return { page: 'templates' }
  const [folder, id, rest] = full.startsWith(home) ? full.slice(home.length).split('/') : []
  if (!id || rest !== '' || !UUID.test(id)) return { page: 'unknown' }
  if (folder === 'p') return { page: 'project', id }
  if (folder === 'templates') return { page: 'templates', id }
  if (folder === 'shared') return { page: 'shared', id }
  if (folder !== 'c') return { page: 'unknown' }
  return { page: 'conversation', id, ...placeOf(hash) }
}

function placeOf(hash: string): Place {
  const id = hash.slice(3)
  if (!UUID.test(id)) return {}
  return hash.startsWith('#m-') ? { messageId: id } : hash.startsWith('#d-') ? { artifactId: id } : {}
}
