import { lazy, Suspense, useEffect, useRef } from 'react'
import { Markdown } from '../markdown/Markdown'
import type { Entry, Shown } from './entries'
import { loadVersion } from './store'

const SourceView = lazy(() => import('./editor').then((module) => ({ default: module.SourceView })))
const CompareView = lazy(() => import('./editor').then((module) => ({ default: module.CompareView })))

export type View = 'read' | 'source' | 'compare'

type Props = { entry: Entry; shown: Shown; view: View }

export function PanelBody({ entry, shown, view }: Props) {
  return (
    <div className="min-h-0 flex-1">
      <Suspense fallback={<Wait text="Opening…" />}>
        <Chosen entry={entry} shown={shown} view={view} />
      </Suspense>
    </div>
  )
}

function Chosen({ entry, shown, view }: Props) {
  if (shown.text === null) return <Wait text="Loading…" />
  if (view === 'source') return <SourceView text={shown.text} label={`${entry.title}, source`} />
  if (view === 'compare' && shown.number !== null) return <Comparison entry={entry} number={shown.number} text={shown.text} />
  return <Page text={shown.text} live={shown.live} />
}

/** The rendered document; while it is written, its end stays in sight. */
function Page({ text, live }: { text: string; live: boolean }) {
  const box = useRef<HTMLDivElement>(null)
  const atEnd = useRef(true)
  const onScroll = () => {
    const { scrollHeight = 0, scrollTop = 0, clientHeight = 0 } = box.current ?? {}
    atEnd.current = scrollHeight - scrollTop - clientHeight < 60
  }
  useEffect(() => {
    if (live && atEnd.current && box.current) box.current.scrollTop = box.current.scrollHeight
  }, [text, live])
  return (
    <div ref={box} onScroll={onScroll} tabIndex={0} role="region" aria-label="Document" className="h-full overflow-y-auto outline-offset-[-2px]">
      <div className="mx-auto max-w-[44rem] px-8 py-7 max-sm:px-5">
        <Markdown text={text} streaming={live} />
      </div>
    </div>
  )
}

function Comparison({ entry, number, text }: { entry: Entry; number: number; text: string }) {
  const parent = entry.parents[number]
  if (parent === undefined) return <Wait text="Loading…" />
  if (parent === null) return <Wait text="This is the first version: there is nothing to compare it with." />
  const before = entry.contents[parent]
  if (before === undefined) return <ParentLoader entry={entry} number={parent} />
  if (before === text) return <Wait text={`Version ${number} has the same text as version ${parent}.`} />
  return <CompareView before={before} after={text} label={`Version ${number}, with its changes to version ${parent}`} />
}

function ParentLoader({ entry, number }: { entry: Entry; number: number }) {
  useEffect(() => void loadVersion(entry.id, number), [entry.id, number])
  return <Wait text="Loading…" />
}

function Wait({ text }: { text: string }) {
  return (
    <p role="status" className="p-8 text-[13.5px] text-fg3">
      {text}
    </p>
  )
}
