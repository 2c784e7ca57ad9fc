import { msg } from '@lingui/core/macro'
import { Trans, useLingui } from '@lingui/react/macro'
import { shortcutLabel } from '../../navigation/shortcuts'
import type { EditSession } from './editSession'
import type { EditState } from './editState'

const WORDS = { saved: msg`Saved`, unsaved: msg`Draft saved`, saving: msg`Saving…`, conflict: msg`Choose what to keep` } as const

/** Whether the server has what is on the screen. A screen reader hears no count: it changes with each key. */
export function SaveStatus({ editing, edit }: { editing: EditSession; edit: EditState }) {
  const { t } = useLingui()
  const { reason, draftKept } = edit
  const shortcut = shortcutLabel('S')
  if (edit.save === 'offline') {
    const says = t`It joins the others’ text when you are back.`
    return (
      <span role="status" className="truncate text-[12.5px] text-warn @max-[24rem]:basis-full @max-[24rem]:whitespace-normal" title={says}>
        <span className="sr-only"><Trans>Offline</Trans>. {says}</span>
        <span aria-hidden>{reason}</span>
      </span>
    )
  }
  if (edit.save !== 'failed') {
    return (
      <span className="flex shrink-0 items-center gap-1 text-[12.5px] text-fg3">
        <span role="status" className={edit.save === 'unsaved' && draftKept ? 'sr-only' : undefined}>
          {edit.save === 'unsaved' && !draftKept ? <Trans>Not saved yet</Trans> : t(WORDS[edit.save])}
        </span>
        {edit.save === 'unsaved' && (
          <button type="button" className="ghost" title={draftKept ? t`Draft saved. Save as a version (${shortcut})` : t`This browser can’t keep drafts. Save as a version (${shortcut})`} onClick={() => void editing.save(false)}>
            <Trans>Save</Trans>
          </button>
        )}
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
