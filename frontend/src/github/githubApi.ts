import { request } from '../api/client'
import type { FileItem } from '../files/filesApi'

export type Repository = { readonly name: string; readonly description: string; readonly private: boolean }
export type RepositoryEntry = { readonly name: string; readonly path: string; readonly kind: 'file' | 'dir' | string; readonly sizeBytes: number }

const queryOf = (values: Record<string, string>): string => new URLSearchParams(values).toString()

/** docs/protocol.md, "GitHub". */
export const githubApi = {
  repositories: (query: string) => request<{ items: Repository[] }>('GET', `github/repositories/?${queryOf({ query })}`),
  folder: (repository: string, path: string) => request<{ items: RepositoryEntry[] }>('GET', `github/folder/?${queryOf({ repository, path })}`),
  attach: (repository: string, path: string) => request<FileItem>('POST', 'github/files/', { repository, path }),
}
