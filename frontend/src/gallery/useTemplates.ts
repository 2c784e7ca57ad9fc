import { useEffect, useRef, useState } from 'react'
import { errorMessage } from '../api/client'
import type { TemplateItem } from '../api/generated'
import { useStore } from '../ui/store'
import { galleryApi, type TemplateFilters } from './galleryApi'
import { writes } from './store'

const TYPING_MS = 150

export type TemplateList = {
  readonly items: readonly TemplateItem[]
  readonly categories: readonly string[]
  /** Null: there is no further page. Undefined: nothing was read yet. */
  readonly cursor: string | null | undefined
  readonly error: string
  loadMore(): void
}

type LoadedTemplates = Pick<TemplateList, 'items' | 'categories' | 'cursor'>
const NOTHING: LoadedTemplates = { items: [], categories: [], cursor: undefined }

/** The templates that are wanted. What was there stays until the next answer, and only the newest question's answer counts. */
export function useTemplates(filters: TemplateFilters): TemplateList {
  const [read, setRead] = useState<LoadedTemplates>(NOTHING)
  const [error, setError] = useState('')
  const lastRequest = useRef(0)
  const changes = useStore(writes)
  const key = JSON.stringify(filters)
  const load = (cursor: string) => {
    const request = ++lastRequest.current
    galleryApi.list(filters, cursor).then(
      (page) => {
        if (request !== lastRequest.current) return
        setRead((list) => ({ items: cursor ? [...list.items, ...page.items] : page.items, categories: cursor ? list.categories : page.categories, cursor: page.nextCursor }))
        setError('')
      },
      (problem: unknown) => request === lastRequest.current && setError(errorMessage(problem)),
    )
  }
  useEffect(() => {
    const timer = setTimeout(() => load(''), read.cursor === undefined ? 0 : TYPING_MS)
    return () => clearTimeout(timer)
  }, [key, changes])
  return { ...read, error, loadMore: () => load(read.cursor ?? '') }
}
