// The panel beside the chat: tabs, header and body around the view of an artifact.
import { useEffect, useRef, useState } from 'react'
import { useLingui } from '@lingui/react/macro'
import { Dialog } from 'radix-ui'
import { useRoute } from '../../navigation/router'
import { useFocusBack } from '../../ui/useFocusBack'
import type { ViewId } from '../viewProps'
import { kindOf, type Kind } from '../kinds'
import { useLiveSession } from '../live/useLiveSession'
import { closePanel, useTabs, type OpenPanel } from '../store'
import { VersionFooter } from '../versions/VersionFooter'
import { lastViews } from './lastViews'
import { PanelBody } from './PanelBody'
import { PanelHeader } from './PanelHeader'
import { PanelTabs } from './PanelTabs'
import { Resizer } from './Resizer'
import { useDisplayedDocument } from './useDisplayedDocument'
import { useFullScreen } from './useFullScreen'
import { usePanelWidth } from './width'

type Props = { panel: OpenPanel; desktop: boolean }

/** The widest panel still leaves enough room for the chat. */
const ROOM_FOR_CHAT = 'calc(100% - 22rem)'

function useView(artifactId: string, kind: Kind): [ViewId, (view: ViewId) => void] {
  const [, redraw] = useState(0)
  const last = lastViews.get(artifactId)
  const view = kind.views.find(({ id }) => id === last)?.id ?? kind.views[0]!.id
  const choose = (next: ViewId) => {
    lastViews.set(artifactId, next)
    redraw((times) => times + 1)
  }
  return [view, choose]
}

/** Ctrl/Cmd+S saves at once, wherever the focus is in the panel. Escape leaves the full screen, unless it means something where the focus is. */
function panelKeys(save: (() => void) | undefined, leaveFullScreen: (() => void) | undefined) {
  return (event: React.KeyboardEvent) => {
    if (event.key === 'Escape' && !event.defaultPrevented) leaveFullScreen?.()
    if (!(event.metaKey || event.ctrlKey) || event.key.toLowerCase() !== 's') return
    event.preventDefault()
    save?.()
  }
}

/** A document that the address names was asked for by itself, so it gets the focus. The sheet of a phone takes it anyway. */
function useFocusByAddress({ artifactId }: OpenPanel, aside: React.RefObject<HTMLElement | null>): void {
  const route = useRoute()
  const isNamed = route.page === 'conversation' && route.artifactId === artifactId
  useEffect(() => {
    if (isNamed) aside.current?.focus({ preventScroll: true })
  }, [isNamed, route, aside])
}

/** The panel of an open artifact: beside the chat on a desktop, a sheet over it on a phone. */
export default function Panel({ panel, desktop }: Props) {
  const { t } = useLingui()
  const document = useDisplayedDocument(panel)
  const kind = kindOf(document?.entry.kind ?? '')
  const [view, setView] = useView(panel.artifactId, kind)
  const live = useLiveSession(panel.artifactId, document?.editing, view)
  const [width, setWidth] = usePanelWidth()
  const tabs = useTabs(panel.conversationId)
  const aside = useRef<HTMLElement>(null)
  const [full, setFull] = useFullScreen(aside)
  const onKeyDown = panelKeys(document?.editing && (() => void document.editing?.save(false)), full ? () => setFull(false) : undefined)
  useEffect(() => () => document?.editing?.close(), [document?.editing])
  useFocusByAddress(panel, aside)
  const title = document?.entry.title ?? t`Document`
  const content = (
    <>
      {tabs.length > 1 && <PanelTabs panel={panel} ids={tabs} />}
      {document ? (
        <>
          <PanelHeader document={document} live={live} view={view} onView={setView} full={full} onFull={desktop ? setFull : undefined} />
          <PanelBody document={document} view={view} />
          <VersionFooter document={document} />
        </>
      ) : (
        <PanelPlaceholder />
      )}
    </>
  )
  if (!desktop) return <Sheet title={title} onKeyDown={onKeyDown}>{content}</Sheet>
  return (
    <aside
      ref={aside}
      tabIndex={-1}
      className={full ? 'fixed inset-0 z-30 flex flex-col bg-bg outline-none' : 'slide relative flex h-full min-w-0 shrink-0 flex-col border-s border-line bg-bg outline-none'}
      style={full ? undefined : { width: `${width}%`, maxWidth: ROOM_FOR_CHAT }}
      aria-label={t`Document: ${title}`}
      onKeyDown={onKeyDown}
    >
      {!full && <Resizer percent={width} onChange={setWidth} />}
      {content}
    </aside>
  )
}

/** Escape in a field or a comment leaves it and does not close the sheet. */
const staysInField = (event: KeyboardEvent) => {
  if (event.target instanceof HTMLInputElement || (event.target as Element).closest('[data-comments]')) event.preventDefault()
}

function Sheet({ title, onKeyDown, children }: { title: string; onKeyDown(event: React.KeyboardEvent): void; children: React.ReactNode }) {
  const focus = useFocusBack()
  return (
    <Dialog.Root open onOpenChange={(open) => !open && closePanel()}>
      <Dialog.Portal>
        <Dialog.Content {...focus} className="slide fixed inset-0 z-40 flex flex-col bg-bg outline-none" aria-describedby={undefined} onEscapeKeyDown={staysInField} onKeyDown={onKeyDown}>
          <Dialog.Title className="sr-only">{title}</Dialog.Title>
          {children}
        </Dialog.Content>
      </Dialog.Portal>
    </Dialog.Root>
  )
}

function PanelPlaceholder() {
  const { t } = useLingui()
  return (
    <div className="space-y-3.5 p-8 pt-16" role="status" aria-label={t`Loading the document`}>
      {['w-1/2', 'w-full', 'w-11/12', 'w-2/3'].map((width) => (
        <div key={width} className={`skeleton h-4 ${width}`} />
      ))}
    </div>
  )
}
