// A look at a file that is about to be sent, beside its chip. Loaded when somebody first looks.
import { useState } from 'react'
import { t } from '@lingui/core/macro'
import { ChevronLeft, ChevronRight, Maximize2 } from 'lucide-react'
import type { FileItem } from '../api/generated'
import { PlainText } from '../plainText/PlainText'
import { visibleText } from '../plainText/segments'
import { pagesOf, typeLabel } from './previewText'
import { useFileText } from './useFile'

const SHEET = 'm-3 mb-0 h-60 overflow-hidden rounded-t-md border border-b-0 border-line bg-bg'

/** `onEnlarge`: shows the file in full. */
export default function FilePeek({ item, onEnlarge }: { item: FileItem; onEnlarge(): void }) {
  if (item.kind === 'image') return <Picture item={item} onEnlarge={onEnlarge} />
  if (item.state !== 'ready') return <Foot item={item} says={item.state === 'pending' ? t`Reading…` : item.reason} onEnlarge={onEnlarge} />
  return <TextPages item={item} onEnlarge={onEnlarge} />
}

type Props = { item: FileItem; onEnlarge(): void }

function Picture({ item, onEnlarge }: Props) {
  return (
    <>
      <img src={item.url} alt="" className={`${SHEET} w-[calc(100%-1.5rem)] object-contain`} />
      <Foot item={item} says={typeLabel(item)} onEnlarge={onEnlarge} />
    </>
  )
}

function TextPages({ item, onEnlarge }: Props) {
  const { content, error } = useFileText(item.id)
  const [page, setPage] = useState(0)
  const name = visibleText(item.name)
  if (error) return <Foot item={item} says={error} onEnlarge={onEnlarge} />
  if (!content) return <div role="status" aria-label={t`Loading ${name}`} className={`${SHEET} skeleton`} />
  const pages = item.kind === 'pdf' ? pagesOf(content.text) : [content.text]
  const number = page + 1
  const count = pages.length
  const says = !content.text ? t`No text found` : count > 1 ? t`Page ${number} of ${count} · text found` : typeLabel(item)
  return (
    <>
      <pre className={`${SHEET} whitespace-pre-wrap px-4 py-3 font-mono text-[8.5px] leading-[1.6] text-fg2 [overflow-wrap:anywhere]`}>
        <PlainText text={(pages[page] ?? '').slice(0, MAX_SHOWN)} lines prose />
      </pre>
      <Foot item={item} says={says} onEnlarge={onEnlarge}>
        {count > 1 && <Step icon={ChevronLeft} label={t`Previous page`} disabled={page === 0} onClick={() => setPage(page - 1)} />}
        {count > 1 && <Step icon={ChevronRight} label={t`Next page`} disabled={number === count} onClick={() => setPage(page + 1)} />}
      </Foot>
    </>
  )
}

/** More does not fit into the sheet. */
const MAX_SHOWN = 4000

function Foot({ item, says, onEnlarge, children }: Props & { says: string; children?: React.ReactNode }) {
  return (
    <div className="flex items-center gap-0.5 border-t border-line py-1.5 pe-1.5 ps-3">
      <div className="min-w-0 flex-1">
        <p className="truncate text-[12.5px] font-semibold">
          <PlainText text={item.name} prose />
        </p>
        <p role="status" className="truncate text-[11.5px] text-fg3">{says}</p>
      </div>
      {children}
      <Step icon={Maximize2} label={t`Show in full`} onClick={onEnlarge} />
    </div>
  )
}

type StepProps = { icon: typeof ChevronLeft; label: string; disabled?: boolean; onClick(): void }

function Step({ icon: Icon, label, disabled = false, onClick }: StepProps) {
  return (
    <button type="button" className="icon size-7" aria-label={label} title={label} disabled={disabled} onClick={onClick}>
      <Icon className="size-3.5" aria-hidden />
    </button>
  )
}
