import { useEffect, useState } from 'react'
import { ApiError, errorMessage } from '../api/client'
import type { TemplateDetail } from '../api/generated'
import { useStore } from '../ui/store'
import { galleryApi } from './galleryApi'
import { writes } from './store'

export type OpenTemplate = {
  readonly template: TemplateDetail | undefined
  readonly isMissing: boolean
  readonly error: string
  /** Shows another version. */
  choose(version: number): void
  /** Carries out a change and shows what came of it. */
  act(work: Promise<TemplateDetail>): void
}

/** One template, read again when it was written. */
export function useTemplate(id: string): OpenTemplate {
  const [template, setTemplate] = useState<TemplateDetail>()
  const [isMissing, setMissing] = useState(false)
  const [error, setError] = useState('')
  const changes = useStore(writes)
  const show = (work: Promise<TemplateDetail>): Promise<boolean> =>
    work.then(
      (answer) => {
        setTemplate(answer)
        setError('')
        return true
      },
      (problem: unknown) => {
        setMissing(problem instanceof ApiError && problem.status === 404)
        setError(errorMessage(problem))
        return false
      },
    )
  useEffect(() => void show(galleryApi.get(id)), [id, changes])
  const act = (work: Promise<TemplateDetail>) => void show(work).then((done) => done && writes.set(writes.get() + 1))
  return { template: template?.id === id ? template : undefined, isMissing, error, choose: (version) => void show(galleryApi.get(id, version)), act }
}
