import { t } from '@lingui/core/macro'
import { Trans, useLingui } from '@lingui/react/macro'
import { CircleAlert, X } from 'lucide-react'
import { PlainText } from '../plainText/PlainText'
import { visibleText } from '../plainText/segments'
import { useStore } from '../ui/store'
import type { Attachment, Attachments } from './attachments'
import { FileIcon } from './FileIcon'
import { formatSize } from './fileParts'
import { PeekButton } from './PeekButton'

/** The files of the next message. `waits`: the text goes into a running answer, and the files wait for the message after it. */
export function AttachmentChips({ attachments, waits }: { attachments: Attachments; waits: boolean }) {
  const { t } = useLingui()
  const list = useStore(attachments.list)
  if (list.length === 0) return null
  return (
    <div className="px-1 pb-1 pt-1">
      <ul aria-label={t`Files to send`} className="flex max-h-[32vh] flex-wrap gap-2 overflow-y-auto">
        {list.map((one) => (
          <Chip key={one.key} one={one} onRemove={() => attachments.remove(one.key)} />
        ))}
      </ul>
      {waits && <p className="mt-1.5 px-1 text-[12px] text-fg3"><Trans>Files will be sent with your next message.</Trans></p>}
    </div>
  )
}

function Chip({ one, onRemove }: { one: Attachment; onRemove(): void }) {
  const { t } = useLingui()
  const name = visibleText(one.name)
  const problem = one.error || failure(one)
  return (
    <li className={`rise relative flex max-w-full items-center gap-2.5 rounded-xl border p-1.5 pe-1 ${problem ? 'border-bad' : 'border-line'} ${problem ? 'w-full' : 'w-60 max-sm:w-full'}`}>
      <AttachmentPicture one={one} />
      <div className="pointer-events-none min-w-0 flex-1">
        <p className="truncate text-[13px] font-medium" title={name}>
          <PlainText text={one.name} prose />
        </p>
        {problem ? (
          <p role="alert" className="flex items-start gap-1 text-[12px] text-bad">
            <CircleAlert className="mt-0.5 size-3.5 shrink-0" aria-hidden />
            {problem}
          </p>
        ) : (
          <p role="status" className="text-[12px] text-fg3">
            {stateOf(one)}
          </p>
        )}
      </div>
      <button type="button" className="icon relative" aria-label={t`Remove ${name}`} title={t`Remove`} onClick={onRemove}>
        <X className="size-4" aria-hidden />
      </button>
      {!one.item && !one.error && <progress aria-label={t`Upload of ${name}`} className="upload" value={one.progress} max={1} />}
    </li>
  )
}

/** Why the server could not use the file; empty: it can, or is still at it. Pictures and texts fail only when they are refused. */
function failure({ item }: Attachment): string {
  if (item?.state !== 'failed') return ''
  const { reason } = item
  return item.kind === 'image' || item.kind === 'text' ? reason : t`Couldn’t extract text. ${reason}`
}

function stateOf({ item, sizeBytes, progress }: Attachment): string {
  if (!item) return progress < 1 ? t`Uploading…` : t`Checking…`
  const size = formatSize(sizeBytes)
  return item.state === 'pending' ? t`${size} · Reading…` : size
}

/** The picture or the icon. Of an uploaded file it is a button as large as the chip, which shows the file in full. */
function AttachmentPicture({ one }: { one: Attachment }) {
  if (!one.item) return <Picture one={one} />
  return (
    <PeekButton item={one.item} className="shrink-0 rounded-lg after:absolute after:inset-0 after:rounded-xl after:content-['']">
      <Picture one={one} />
    </PeekButton>
  )
}

function Picture({ one }: { one: Attachment }) {
  const source = one.preview || (one.item?.kind === 'image' ? one.item.url : '')
  if (source && !one.error) return <img src={source} alt="" className="size-10 shrink-0 rounded-lg bg-hover object-cover" />
  return <FileIcon kind={one.item?.kind} />
}
