import { useEffect, useId, useState, type KeyboardEvent } from 'react'
import { t } from '@lingui/core/macro'
import { Trans } from '@lingui/react/macro'
import { User, Users, X } from 'lucide-react'
import { errorMessage } from '../api/client'
import type { NamedReader } from '../api/generated'
import { sharingApi } from './sharingApi'

/** The server is asked this long after the last key. */
const PAUSE_MS = 150

type Props = { selection: readonly NamedReader[]; onChange(selection: readonly NamedReader[]): void }

/** Chooses members and groups by their names. */
export function ReaderPicker({ selection, onChange }: Props) {
  const [text, setText] = useState('')
  const { matches, error } = useReaders(text.trim())
  const id = useId()
  const others = matches?.filter((reader) => !selection.some((one) => one.id === reader.id))
  const choose = (reader: NamedReader) => {
    onChange([...selection, reader])
    setText('')
    document.getElementById(id)?.focus()
  }
  return (
    <div className="mt-3">
      <label htmlFor={id} className="block text-[13px] font-medium text-fg2"><Trans>People and groups</Trans></label>
      {selection.length > 0 && (
        <ul aria-label={t`Chosen`} className="mt-1.5 flex flex-wrap gap-1.5">
          {selection.map((reader) => (
            <li key={reader.id} className="flex max-w-full items-center gap-1.5 rounded-full border border-line bg-soft ps-2.5 text-[13px]">
              <Name reader={reader} />
              <button type="button" className="icon size-7 pointer-coarse:size-11" aria-label={t`Remove ${reader.name}`} title={t`Remove ${reader.name}`} onClick={() => onChange(selection.filter((one) => one !== reader))}>
                <X className="size-3.5" aria-hidden />
              </button>
            </li>
          ))}
        </ul>
      )}
      <input id={id} className="field mt-1.5" value={text} maxLength={100} autoComplete="off" placeholder={t`Search by name`} onChange={(event) => setText(event.target.value)} onKeyDown={keepForm} />
      {error && <p role="alert" className="mt-1.5 text-[12.5px] text-bad">{error}</p>}
      {others && others.length === 0 && <p role="status" className="mt-1.5 text-[12.5px] text-fg2"><Trans>Nobody found.</Trans></p>}
      {others && others.length > 0 && (
        <ul aria-label={t`Found`} className="mt-1.5 overflow-hidden rounded-xl border border-line">
          {others.map((reader) => (
            <li key={reader.id} className="border-b border-line last:border-b-0">
              <button type="button" className="flex min-h-9 w-full items-center px-3 text-[13.5px] hover:bg-hover focus-visible:-outline-offset-2 pointer-coarse:min-h-11" onClick={() => choose(reader)}>
                <Name reader={reader} />
              </button>
            </li>
          ))}
        </ul>
      )}
    </div>
  )
}

/** Enter in the search would create the link. */
const keepForm = (event: KeyboardEvent) => event.key === 'Enter' && event.preventDefault()

function Name({ reader: { kind, name } }: { reader: NamedReader }) {
  const Icon = kind === 'group' ? Users : User
  return (
    <span className="flex min-w-0 items-center gap-2">
      <Icon className="size-3.5 shrink-0 text-fg3" aria-hidden />
      <span className="truncate">{name}</span>
      {kind === 'group' && <span className="text-fg3"><Trans>Group</Trans></span>}
    </span>
  )
}

type ReaderSearch = { readonly matches?: readonly NamedReader[]; readonly error?: string }

/** Searches while the user types. */
function useReaders(text: string): ReaderSearch {
  const [state, setState] = useState<ReaderSearch>({})
  useEffect(() => {
    if (!text) return setState({})
    let isStale = false
    const ask = () =>
      sharingApi.readers(text).then(
        ({ items }) => !isStale && setState({ matches: items }),
        (problem: unknown) => !isStale && setState({ error: errorMessage(problem) }),
      )
    const pause = setTimeout(ask, PAUSE_MS)
    return () => {
      isStale = true
      clearTimeout(pause)
    }
  }, [text])
  return state
}
