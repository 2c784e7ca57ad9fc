import { useState } from 'react'
import { Trans } from '@lingui/react/macro'
import { errorMessage } from '../../api/client'
import { TEXT_LIMITS } from '../../api/generated'
import { ErrorLine } from '../../ui/FormDialog'

type Props = { label: string; isNew?: boolean; text: string; onWrite(text: string): void; onSend(text: string): Promise<void> }

/** Where a comment or a reply is written. */
export function CommentField({ label, isNew, text, onWrite, onSend }: Props) {
  const [busy, setBusy] = useState(false)
  const [error, setError] = useState('')
  const send = async () => {
    setBusy(true)
    setError('')
    try {
      await onSend(text)
    } catch (problem) {
      setError(errorMessage(problem))
    }
    setBusy(false)
  }
  return (
    <form
      className={isNew ? '' : 'mt-2.5'}
      onSubmit={(event) => {
        event.preventDefault()
        void send()
      }}
    >
      <textarea rows={isNew ? 2 : 1} autoFocus={isNew && !text} className="field h-auto py-1.5 text-[13.5px]" aria-label={label} placeholder={label} value={text} maxLength={TEXT_LIMITS.comment} onChange={(event) => onWrite(event.target.value)} />
      {error && <ErrorLine text={error} />}
      {(isNew || text) && (
        <button type="submit" className="btn-primary mt-1.5" disabled={busy || !text.trim()}>
          {isNew ? <Trans>Comment</Trans> : <Trans>Reply</Trans>}
        </button>
      )}
    </form>
  )
}
