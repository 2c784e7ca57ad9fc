import { Download, FileText, X } from 'lucide-react'
import { CopyButton } from '../ui/CopyButton'
import { download } from './download'
import type { Entry, Shown } from './entries'
import type { View } from './PanelBody'
import { closePanel } from './store'

type Props = { entry: Entry; shown: Shown; view: View; onView(view: View): void }

export function PanelHeader({ entry, shown, view, onView }: Props) {
  return (
    <header className="flex min-h-12 shrink-0 items-center gap-x-2 border-b border-line px-3 max-sm:flex-wrap">
      <FileText className="size-4 shrink-0 text-fg3" aria-hidden />
      <h2 title={entry.title} className="min-w-0 truncate text-[14px] max-sm:max-w-[52%] font-semibold">{entry.title}</h2>
      <StatusWord entry={entry} shown={shown} />
      <span className="ml-auto shrink-0" />
      <ViewSwitch view={view} onView={onView} canCompare={!shown.live} />
      {shown.text !== null && !shown.live && <FileButtons title={entry.title} text={shown.text} />}
      <button type="button" className="icon" onClick={closePanel} aria-label="Close the document" title="Close">
        <X className="size-4" aria-hidden />
      </button>
    </header>
  )
}

function StatusWord({ entry, shown }: { entry: Entry; shown: Shown }) {
  if (shown.live) return <span className="shimmer shrink-0 text-[12.5px]">Writing…</span>
  if (entry.status === 'streaming') return <span className="shrink-0 text-[12.5px] text-fg3">A newer version is being written</span>
  if (entry.status === 'failed') return <span className="shrink-0 text-[12.5px] text-bad">The last change failed</span>
  return null
}

const VIEWS = [
  { value: 'read', label: 'Read' },
  { value: 'source', label: 'Source' },
  { value: 'compare', label: 'Compare' },
] as const

function ViewSwitch({ view, onView, canCompare }: { view: View; onView(view: View): void; canCompare: boolean }) {
  return (
    <div role="group" aria-label="View" className="flex shrink-0 rounded-lg bg-hover p-0.5 max-sm:order-last max-sm:mb-2 max-sm:w-full">
      {VIEWS.map(({ value, label }) => (
        <button
          key={value}
          type="button"
          aria-pressed={view === value}
          disabled={value === 'compare' && !canCompare}
          onClick={() => onView(value)}
          className="min-h-7 rounded-md max-sm:flex-1 px-2.5 text-[12.5px] font-medium text-fg2 transition-colors disabled:opacity-40 aria-pressed:bg-raise aria-pressed:text-fg aria-pressed:shadow-sm dark:aria-pressed:bg-line2 pointer-coarse:min-h-10"
        >
          {label}
        </button>
      ))}
    </div>
  )
}

function FileButtons({ title, text }: { title: string; text: string }) {
  return (
    <span className="flex shrink-0">
      <CopyButton text={text} what="document" />
      <button type="button" className="icon" onClick={() => download(title, text)} aria-label="Download as Markdown" title="Download as Markdown">
        <Download className="size-4" aria-hidden />
      </button>
    </span>
  )
}
