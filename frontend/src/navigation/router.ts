// Where the user is in the page: routes, and keyboard shortcuts that move the focus.
import { boot } from '../api/boot'
import { createStore, useStore } from '../ui/store'
import { archivePath, conversationPath, homePath, parseRoute, projectPath, sharedPath, templatesPath, usagePath, type Place, type Route } from './routes'

const route = createStore<Route>(parseRoute(location.pathname, boot.organization.slug, location.hash))

const currentAddress = (): string => location.pathname + location.hash
let routedAddress = currentAddress()

function read(): void {
  routedAddress = currentAddress()
  route.set(parseRoute(location.pathname, boot.organization.slug, location.hash))
}
// What covers a page has an entry of the history with the page's address. Leaving it goes nowhere, and must not open again what the address names.
addEventListener('popstate', () => currentAddress() !== routedAddress && read())

function go(path: string): void {
  if (path !== currentAddress()) history.pushState(null, '', path)
  read()
}

export const goHome = (): void => go(homePath(boot.organization.slug))
export const goToUsage = (): void => go(usagePath(boot.organization.slug))
export const goToArchive = (): void => go(archivePath(boot.organization.slug))
export const archiveHref = (): string => archivePath(boot.organization.slug)
/** `id`: the template that is shown. */
export const goToTemplates = (id?: string): void => go(templatesPath(boot.organization.slug, id))
export const templatesHref = (): string => templatesPath(boot.organization.slug)
/** Shows another template without a step of the browser's history. */
export function replaceTemplate(id: string): void {
  history.replaceState(null, '', templatesPath(boot.organization.slug, id))
  read()
}
export const goToProject = (projectId: string): void => go(projectPath(boot.organization.slug, projectId))
export const projectHref = (projectId: string): string => projectPath(boot.organization.slug, projectId)
/** `id`: of a link to something that is shared by name. */
export const goToShared = (id: string): void => go(sharedPath(boot.organization.slug, id))
export const sharedHref = (id: string): string => sharedPath(boot.organization.slug, id)
export const goToConversation = (conversationId: string, place?: Place): void => go(conversationPath(boot.organization.slug, conversationId, place))
export const conversationHref = (conversationId: string, place?: Place): string => conversationPath(boot.organization.slug, conversationId, place)
export const useRoute = (): Route => useStore(route)

export function displayedShare(): string | undefined {
  const place = route.get()
  return place.page === 'shared' ? place.id : undefined
}

export function displayedConversation(): string | undefined {
  const place = route.get()
  return place.page === 'conversation' ? place.id : undefined
}
