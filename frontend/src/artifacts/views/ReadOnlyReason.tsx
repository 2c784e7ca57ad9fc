import { useLingui } from '@lingui/react/macro'
import type { DisplayedDocument } from '../viewProps'
import { kindOf } from '../kinds'

/** Says why the text cannot be edited. */
export function ReadOnlyReason({ document: { entry, displayedVersion, editing } }: { document: DisplayedDocument }) {
  const { t } = useLingui()
  if (editing || !kindOf(entry.kind).editable) return null
  const text = displayedVersion.live
    ? t`The agent is writing. You can edit when it is done.`
    : displayedVersion.number !== entry.latest
      ? t`This is an earlier version. Restore it to edit it.`
      : entry.status === 'streaming'
        ? t`A newer version is being written. You can edit when it is done.`
        : null
  return text && <p className="shrink-0 border-b border-line bg-side px-4 py-1.5 text-[12.5px] text-fg2">{text}</p>
}
