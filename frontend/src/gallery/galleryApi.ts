import { request } from '../api/client'
import type { ArtifactDetail, FilledTemplate, NewTemplate, TemplateDetail, TemplateKind, TemplatePage, TemplateText } from '../api/generated'
import type { Values } from './placeholders'

export type Source = '' | 'organization' | 'parley' | 'mine'
/** Which templates the page lists. */
export type TemplateFilters = { readonly q: string; readonly kind: TemplateKind | ''; readonly category: string; readonly source: Source }

const withoutBlanks = (params: object): [string, string][] => Object.entries(params).filter((entry): entry is [string, string] => entry[1] !== '')

export const galleryApi = {
  list: (filters: TemplateFilters, cursor: string) => request<TemplatePage>('GET', `templates/?${new URLSearchParams(withoutBlanks({ ...filters, cursor }))}`),
  get: (id: string, version?: number) => request<TemplateDetail>('GET', `templates/${id}/${version ? `?version=${version}` : ''}`),
  create: (template: NewTemplate) => request<TemplateDetail>('POST', 'templates/', template),
  change: (id: string, text: TemplateText) => request<TemplateDetail>('PUT', `templates/${id}/`, text),
  remove: (id: string) => request<null>('DELETE', `templates/${id}/`),
  submit: (id: string) => request<TemplateDetail>('POST', `templates/${id}/submit/`),
  withdraw: (id: string) => request<TemplateDetail>('POST', `templates/${id}/withdraw/`),
  /** `values` null: the placeholders stay in the text. */
  fill: (id: string, values: Values | null) => request<FilledTemplate>('POST', `templates/${id}/fill/`, { values }),
  /** `conversation` null: a new one. */
  use: (id: string, values: Values | null, conversation: string | null) => request<ArtifactDetail>('POST', `templates/${id}/use/`, { values, conversation }),
}
