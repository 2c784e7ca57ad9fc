import { useEffect, useId, useRef, useState } from 'react'
import { t } from '@lingui/core/macro'
import { Trans } from '@lingui/react/macro'
import { errorMessage } from '../../api/client'
import { TEXT_LIMITS } from '../../api/generated'
import { charactersOver, TooLong } from '../../sharing/TooLong'
import { ErrorLine } from '../../ui/FormDialog'

type Props = {
  label: string
  /** The words of the button that sends. */
  action: string
  text: string
  /** It waits for words: it has the focus at once, and its buttons before anything is written. */
  isOpen?: boolean
  onWrite(text: string): void
  onSend(text: string): Promise<void>
  onCancel(): void
}

/** Where a comment or a reply is written. */
export function CommentField({ label, action, text, isOpen = false, onWrite, onSend, onCancel }: Props) {
  const field = useRef<HTMLTextAreaElement>(null)
  const [busy, setBusy] = useState(false)
  const [error, setError] = useState('')
  const limit = useId()
  const over = charactersOver(text, TEXT_LIMITS.comment)
  const canSend = !busy && text.trim() !== '' && over === 0
  useEffect(() => {
    if (isOpen) field.current?.focus()
  }, [isOpen])
  const send = async () => {
    if (!canSend) return
    setBusy(true)
    setError('')
    try {
      await onSend(text)
    } catch (problem) {
      setError(errorMessage(problem))
    }
    setBusy(false)
  }
  const cancel = () => {
    field.current?.focus() // the button may be gone
    onCancel()
  }
  const onKeyDown = (event: React.KeyboardEvent) => {
    if (event.key !== 'Enter' || !(event.ctrlKey || event.metaKey)) return
    event.preventDefault()
    void send()
  }
  return (
    <form
      className="mt-2.5 first:mt-0"
      onSubmit={(event) => {
        event.preventDefault()
        void send()
      }}
    >
      <textarea ref={field} dir="auto" rows={isOpen ? 2 : 1} readOnly={busy} className="field h-auto max-h-60 resize-none aria-invalid:border-bad py-1.5 text-[13.5px] [field-sizing:content] pointer-coarse:text-[16px]" aria-label={label} placeholder={label} value={text} aria-invalid={over > 0} aria-describedby={limit} onChange={(event) => onWrite(event.target.value)} onKeyDown={onKeyDown} />
      <TooLong id={limit} over={over} />
      {error && <ErrorLine text={error} />}
      {(isOpen || text) && (
        <div className="mt-1.5 flex flex-wrap gap-2">
          <button type="submit" className="btn-primary" title={t`${action} (Ctrl+Enter)`} disabled={!canSend}>
            {action}
          </button>
          <button type="button" className="btn" disabled={busy} onClick={cancel}>
            <Trans>Cancel</Trans>
          </button>
        </div>
      )}
    </form>
  )
}
