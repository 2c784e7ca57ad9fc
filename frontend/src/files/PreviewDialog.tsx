// One file in full: a picture, or the text that the assistant reads.
import type { ReactNode } from 'react'
import { Trans, useLingui } from '@lingui/react/macro'
import { Download, X } from 'lucide-react'
import { Dialog } from 'radix-ui'
import type { FileItem } from '../api/generated'
import { CodeBlock } from '../markdown/CodeBlock'
import { grammarOf } from '../markdown/grammars'
import { PlainText } from '../plainText/PlainText'
import { visibleText } from '../plainText/segments'
import { formatSize } from './fileParts'
import { focusOpener, previewed, type PreviewFile } from './preview'
import { pagesOf, typeLabel } from './previewText'
import { downloadFile, useFile, useFileText } from './useFile'

/** Colours of a longer text would take longer than reading it is worth. */
const MAX_COLOURED = 60_000

export default function PreviewDialog({ file }: { file: PreviewFile }) {
  const { t } = useLingui()
  const item = useFile(file.id)
  const name = visibleText(file.name)
  return (
    <Dialog.Root open onOpenChange={(open) => !open && previewed.set(null)}>
      <Dialog.Portal>
        <Dialog.Overlay className="fade fixed inset-0 z-50 bg-black/60" />
        <Dialog.Content
          aria-describedby={undefined}
          onCloseAutoFocus={focusOpener}
          className={`rise fixed left-1/2 top-1/2 z-50 flex max-h-[94dvh] max-w-[96vw] -translate-x-1/2 -translate-y-1/2 flex-col rounded-[18px] border border-line bg-raise p-3 shadow-pop ${item?.kind === 'image' ? 'w-max' : 'w-[52rem]'}`}
        >
          <div className="mb-2 flex items-center gap-1">
            <div className="min-w-0 flex-1 ps-1">
              <Dialog.Title className="truncate text-[14px] font-medium">
                <PlainText text={file.name} prose />
              </Dialog.Title>
              {item && <p className="text-[12px] text-fg3">{`${typeLabel(item)} · ${formatSize(item.sizeBytes)}`}</p>}
            </div>
            <button type="button" className="icon" disabled={!item} aria-label={t`Download ${name}`} title={t`Download`} onClick={() => downloadFile(file.id)}>
              <Download className="size-4" aria-hidden />
            </button>
            <Dialog.Close className="icon" aria-label={t`Close`} title={t`Close (Esc)`}>
              <X className="size-4" aria-hidden />
            </Dialog.Close>
          </div>
          <Body item={item} name={name} />
        </Dialog.Content>
      </Dialog.Portal>
    </Dialog.Root>
  )
}

function Body({ item, name }: { item: FileItem | null | undefined; name: string }) {
  const { t } = useLingui()
  if (item === undefined) return <div role="status" aria-label={t`Loading ${name}`} className="skeleton h-64 w-full min-w-64" />
  if (item === null) return <Note text={t`This file was removed.`} />
  if (item.kind === 'image') return <img src={item.url} alt={name} className="min-h-24 min-w-24 max-h-[80dvh] max-w-full rounded-lg bg-hover object-contain" />
  const { reason } = item
  if (item.state === 'failed') return <Note text={t`Couldn’t extract text. ${reason} You can download the file.`} />
  if (item.state === 'pending') return <Note text={t`Its text is still being read. Open it again in a moment, or download the file.`} />
  return <TextBody item={item} name={name} />
}

function TextBody({ item, name }: { item: FileItem; name: string }) {
  const { t } = useLingui()
  const { content, error } = useFileText(item.id)
  if (error) return <Note text={error} />
  if (!content) return <div role="status" aria-label={t`Loading ${name}`} className="skeleton h-64 w-full" />
  if (!content.text) return <Note text={t`No text was found in this file. Its pages may be pictures. You can download it.`} />
  const extension = item.name.split('.').at(-1) ?? ''
  const isCode = item.kind === 'text' && grammarOf(extension) !== undefined && content.text.length <= MAX_COLOURED
  return (
    <div className="min-h-0 overflow-y-auto rounded-lg bg-code" tabIndex={0} role="region" aria-label={t`Text of ${name}`}>
      {isCode ? <CodeBlock text={content.text} info={extension} /> : <Pages text={content.text} isPaged={item.kind === 'pdf'} />}
      {content.isCut && <p className="px-4 pb-3 text-[12.5px] text-fg3"><Trans>Only the beginning is shown. The file has more; download it to read all of it.</Trans></p>}
    </div>
  )
}

function Pages({ text, isPaged }: { text: string; isPaged: boolean }) {
  const pages = pagesOf(text)
  return pages.map((page, index) => (isPaged ? <Page key={index} text={page} number={index + 1} count={pages.length} /> : <TextBlock key={index} text={page} />))
}

function Page({ text, number, count }: { text: string; number: number; count: number }) {
  const { t } = useLingui()
  return (
    <TextBlock text={text} label={t`Page ${number}`}>
      <h3 className="mb-1.5 text-[12px] font-semibold text-fg3">
        <Trans>
          Page {number} of {count}
        </Trans>
      </h3>
    </TextBlock>
  )
}

function TextBlock({ text, label, children }: { text: string; label?: string; children?: ReactNode }) {
  return (
    <section aria-label={label} className="px-4 py-3">
      {children}
      <pre className="whitespace-pre-wrap font-mono text-[13px] leading-[1.6] [overflow-wrap:anywhere]">
        <PlainText text={text} lines prose />
      </pre>
    </section>
  )
}

const Note = ({ text }: { text: string }) => <p className="rounded-lg bg-hover px-4 py-6 text-center text-[14px] text-fg2">{text}</p>
