import { call } from '../api/client'
import type { FileItem } from '../files/filesApi'

export type Repository = { readonly name: string; readonly description: string; readonly private: boolean }
export type Entry = { readonly name: string; readonly path: string; readonly kind: 'file' | 'dir' | string; readonly sizeBytes: number }

const given = (values: Record<string, string>): string => new URLSearchParams(values).toString()

/** docs/protocol.md, "GitHub". */
export const githubApi = {
  repositories: (query: string) => call<{ items: Repository[] }>('GET', `github/repositories/?${given({ query })}`),
  folder: (repository: string, path: string) => call<{ items: Entry[] }>('GET', `github/folder/?${given({ repository, path })}`),
  attach: (repository: string, path: string) => call<FileItem>('POST', 'github/files/', { repository, path }),
}
