import { msg } from '@lingui/core/macro'
import { Trans, useLingui } from '@lingui/react/macro'
import type { EditSession, EditState } from './editSession'

const WORDS = { saved: msg`Saved`, unsaved: msg`Saving…`, saving: msg`Saving…`, conflict: msg`Choose what to keep` } as const

/** Whether the server has what is on the screen. */
export function SaveStatus({ editing, edit }: { editing: EditSession; edit: EditState }) {
  const { t } = useLingui()
  const { reason } = edit
  if (edit.save !== 'failed') {
    return (
      <span role="status" className="shrink-0 text-[12.5px] text-fg3">
        {t(WORDS[edit.save])}
      </span>
    )
  }
  return (
    <span role="status" className="flex min-w-0 items-center gap-1 text-[12.5px] text-bad">
      <span className="truncate" title={reason}>
        <Trans>Not saved: {reason}</Trans>
      </span>
      <button type="button" className="ghost shrink-0" onClick={() => void editing.save(false)}>
        <Trans>Try again</Trans>
      </button>
    </span>
  )
}
