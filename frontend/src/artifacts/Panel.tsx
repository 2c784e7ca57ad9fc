import { useEffect, useState } from 'react'
import { Dialog } from 'radix-ui'
import type { Shown, Entry } from './entries'
import { shownOf } from './entries'
import { PanelBody, type View } from './PanelBody'
import { PanelHeader } from './PanelHeader'
import { closePanel, loadArtifact, loadVersion, useArtifact, type OpenPanel } from './store'
import { VersionFooter } from './VersionFooter'

type Props = { panel: OpenPanel; desktop: boolean }

/** Read what is missing: the list of versions, and the text and parent of the version on display. */
function useNeeded(panel: OpenPanel, entry: Entry | undefined, shown: Shown | undefined, view: View): void {
  const newest = entry?.versions.at(-1)?.number ?? null
  const stale = !entry || (entry.status !== 'streaming' && newest !== entry.latest) || (entry.latest === null && entry.status === 'ready')
  useEffect(() => {
    if (stale) void loadArtifact(panel.artifactId)
  }, [stale, panel.artifactId])
  const number = shown?.number ?? null
  const missing = entry !== undefined && number !== null && (shown?.text === null || (view === 'compare' && !(number in entry.parents)))
  useEffect(() => {
    if (missing && number !== null) void loadVersion(panel.artifactId, number)
  }, [missing, number, panel.artifactId])
}

/** The second page: beside the chat on a desktop, a sheet over it on a phone. */
export default function Panel({ panel, desktop }: Props) {
  const entry = useArtifact(panel.artifactId)
  const [view, setView] = useState<View>('read')
  const shown = entry && shownOf(entry, panel.version)
  useNeeded(panel, entry, shown, view)
  const content = entry && shown && (
    <>
      <PanelHeader entry={entry} shown={shown} view={view} onView={setView} />
      <PanelBody entry={entry} shown={shown} view={view} />
      <VersionFooter entry={entry} shown={shown} />
    </>
  )
  const title = entry?.title ?? 'Document'
  if (!desktop) return <Sheet title={title}>{content ?? <Loading />}</Sheet>
  return (
    <aside className="slide flex h-full w-[52%] min-w-0 shrink-0 flex-col border-l border-line bg-bg" aria-label={`Document: ${title}`}>
      {content ?? <Loading />}
    </aside>
  )
}

function Sheet({ title, children }: { title: string; children: React.ReactNode }) {
  return (
    <Dialog.Root open onOpenChange={(open) => !open && closePanel()}>
      <Dialog.Portal>
        <Dialog.Content className="slide fixed inset-0 z-40 flex flex-col bg-bg outline-none" aria-describedby={undefined}>
          <Dialog.Title className="sr-only">{title}</Dialog.Title>
          {children}
        </Dialog.Content>
      </Dialog.Portal>
    </Dialog.Root>
  )
}

function Loading() {
  return (
    <div className="space-y-3.5 p-8 pt-16" role="status" aria-label="Loading the document">
      {['w-1/2', 'w-full', 'w-11/12', 'w-2/3'].map((width) => (
        <div key={width} className={`skeleton h-4 ${width}`} />
      ))}
    </div>
  )
}
