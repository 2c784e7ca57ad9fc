import { KeyRound, RotateCcw, Settings } from 'lucide-react'
import { boot } from '../api/boot'
import { openKeysDialog } from './dialogState'

/** Whether a notice says that a key is missing or was not accepted. */
export const isAboutKeys = (code: string): boolean => code === 'key_missing' || code === 'key_rejected'

/** What helps an answer that failed for its key: enter one, or an admin's, then try again. `relative`: above the message's padding, which takes clicks. */
export function KeyActions({ onRetry }: { onRetry(): void }) {
  return (
    <div className="relative -mt-4 flex flex-wrap gap-2">
      <button type="button" className="btn" onClick={(event) => openKeysDialog(event.currentTarget)}>
        <KeyRound className="size-3.5" aria-hidden />
        Your keys
      </button>
      {boot.adminUrl && (
        <a className="btn" href={boot.adminUrl}>
          <Settings className="size-3.5" aria-hidden />
          Open settings
        </a>
      )}
      <button type="button" className="btn" onClick={onRetry}>
        <RotateCcw className="size-3.5" aria-hidden />
        Try again
      </button>
    </div>
  )
}
