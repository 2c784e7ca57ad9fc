import { Trans, useLingui } from '@lingui/react/macro'
import { Mic } from 'lucide-react'
import type { Dictation } from './useDictation'

/** Writes by voice. Not there where the browser can't. */
export function DictateButton({ dictation }: { dictation: Dictation }) {
  const { t } = useLingui()
  if (!dictation.isOffered) return null
  const { isListening } = dictation
  return (
    <button
      type="button"
      className="icon aria-pressed:bg-bad-soft aria-pressed:text-bad"
      aria-label={t`Dictate`}
      aria-pressed={isListening}
      title={isListening ? t`Stop` : t`Dictate. Your browser may send the sound to its maker’s service.`}
      onClick={dictation.toggle}
    >
      <Mic className="size-4.5" aria-hidden />
    </button>
  )
}

/** What was heard so far, or why voice input ended. */
export function DictationLine({ dictation: { isListening, transcript, error } }: { dictation: Dictation }) {
  if (error)
    return (
      <p role="alert" className="px-3 pb-1 text-[13px] text-bad">
        {error}
      </p>
    )
  if (!isListening) return null
  return (
    <p role="status" className="px-3 pb-1 text-[13px] text-fg3">
      {transcript || <Trans>Listening…</Trans>}
    </p>
  )
}
