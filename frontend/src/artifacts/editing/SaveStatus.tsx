import type { EditSession, EditState } from './editSession'

const WORDS = { saved: 'Saved', unsaved: 'Saving…', saving: 'Saving…', failed: '', conflict: 'Choose what to keep' } as const

/** Whether the server has what is on the screen. */
export function SaveStatus({ editing, edit }: { editing: EditSession; edit: EditState }) {
  if (edit.save !== 'failed') {
    return (
      <span role="status" className="shrink-0 text-[12.5px] text-fg3">
        {WORDS[edit.save]}
      </span>
    )
  }
  return (
    <span role="status" className="flex min-w-0 items-center gap-1 text-[12.5px] text-bad">
      <span className="truncate" title={edit.reason}>
        Not saved: {edit.reason}
      </span>
      <button type="button" className="ghost shrink-0" onClick={() => void editing.save(false)}>
        Try again
      </button>
    </span>
  )
}
