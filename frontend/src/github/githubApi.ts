import { request } from '../api/client'
import type { EntryList, FileItem, RepositoryList } from '../api/generated'

const queryOf = (values: Record<string, string>): string => new URLSearchParams(values).toString()

/** docs/protocol.md, "GitHub". */
export const githubApi = {
  repositories: (query: string) => request<RepositoryList>('GET', `github/repositories/?${queryOf({ query })}`),
  folder: (repository: string, path: string) => request<EntryList>('GET', `github/folder/?${queryOf({ repository, path })}`),
  attach: (repository: string, path: string) => request<FileItem>('POST', 'github/files/', { repository, path }),
}
