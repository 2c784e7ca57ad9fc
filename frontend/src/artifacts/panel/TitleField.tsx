import { useRef } from 'react'
import { useLingui } from '@lingui/react/macro'
import type { ArtifactEntry } from '../entries'
import { renameArtifact } from '../store'

const MAX_TITLE_CHARS = 200

/** The field for a new title. Enter and blur save it, Escape does not. */
export function TitleField({ entry, onClose }: { entry: ArtifactEntry; onClose(): void }) {
  const { t } = useLingui()
  const done = useRef(false)
  const finish = (title: string) => {
    if (done.current) return
    done.current = true
    onClose()
    if (title && title !== entry.title) void renameArtifact(entry.id, title)
  }
  const onKeyDown = (event: React.KeyboardEvent<HTMLInputElement>) => {
    if (event.key !== 'Enter' && event.key !== 'Escape') return
    event.preventDefault()
    event.stopPropagation()
    finish(event.key === 'Enter' ? event.currentTarget.value.trim() : '')
  }
  return (
    <input
      autoFocus
      defaultValue={entry.title}
      maxLength={MAX_TITLE_CHARS}
      aria-label={t`Title`}
      onFocus={(event) => event.target.select()}
      onKeyDown={onKeyDown}
      onBlur={(event) => finish(event.target.value.trim())}
      className="field min-w-0 flex-1"
    />
  )
}
