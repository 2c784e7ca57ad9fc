// What is open of the gallery: the template that is being written, and the conversation in which the next one is used.
import { t } from '@lingui/core/macro'
import type { TemplateDetail, TemplateKind } from '../api/generated'
import { goToTemplates } from '../navigation/router'
import { createStore } from '../ui/store'
import { showToast } from '../ui/toasts'

/** What the editor begins with. `id`: of the template that gets a new version; null: a new one. */
export type EditedTemplate = Pick<TemplateDetail, 'kind' | 'title' | 'description' | 'category' | 'body' | 'placeholders'> & { readonly id: string | null; readonly mayChangeKind: boolean }
export type Target = { readonly id: string; readonly title: string }

export const editedTemplate = createStore<EditedTemplate | null>(null)
/** The conversation from which the user came to choose a template; null: none. */
export const target = createStore<Target | null>(null)
/** Grows when a template was written, so that lists are read again. */
export const writes = createStore(0)
let opener: HTMLElement | null = null

export function editTemplate(template: EditedTemplate): void {
  opener = document.activeElement instanceof HTMLElement ? document.activeElement : null
  editedTemplate.set(template)
}

export function closeEditor(): void {
  editedTemplate.set(null)
  const to = opener
  setTimeout(() => to?.isConnected && to.focus())
}

/** Begins a template with a text that is there already. */
export const saveAsTemplate = (kind: TemplateKind, title: string, body: string): void =>
  editTemplate({ id: null, mayChangeKind: false, kind, title: title.slice(0, 80), description: '', category: '', body, placeholders: [] })

export function noteSaved(template: TemplateDetail, isNew: boolean): void {
  writes.set(writes.get() + 1)
  if (isNew) showToast(t`Saved as a template. Only you see it until you submit it.`, { label: t`Open`, act: () => goToTemplates(template.id) })
  else showSaved(template)
}

function showSaved({ latestVersion }: TemplateDetail): void {
  showToast(t`Saved as version ${latestVersion}.`)
}

/** Opens the gallery to use a template in this conversation. */
export function chooseTemplateFor(conversation: Target): void {
  target.set(conversation)
  goToTemplates()
}
