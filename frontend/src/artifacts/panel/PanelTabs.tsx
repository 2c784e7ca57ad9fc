import { useEffect, useRef } from 'react'
import { useLingui } from '@lingui/react/macro'
import { X } from 'lucide-react'
import { sessionOf } from '../../chat/session/sessions'
import { PlainText } from '../../plainText/PlainText'
import { visibleText } from '../../plainText/segments'
import { useStore } from '../../ui/store'
import { kindOf } from '../kinds'
import { closeTab, openPanel, useArtifacts, type OpenPanel } from '../store'

type Tab = { readonly id: string; readonly title: string; readonly kind: string }

/** Titles come from the conversation's list of documents, so a tab that nobody opens loads nothing. */
function useTitles(conversationId: string, ids: readonly string[]): readonly Tab[] {
  const { t } = useLingui()
  const entries = useArtifacts()
  const { artifacts } = useStore(sessionOf(conversationId).state)
  return ids.map((id) => {
    const entry = entries[id] ?? artifacts.find((artifact) => artifact.id === id)
    return { id, title: entry?.title ?? t`Document`, kind: entry?.kind ?? '' }
  })
}

/** The artifacts that were opened in this conversation. */
export function PanelTabs({ panel, ids }: { panel: OpenPanel; ids: readonly string[] }) {
  const { t } = useLingui()
  const tabs = useTitles(panel.conversationId, ids)
  return (
    <nav aria-label={t`Open documents`} className="flex h-10 shrink-0 items-end gap-0.5 overflow-x-auto border-b border-line bg-side px-2 pt-1">
      {tabs.map((tab) => (
        <TabItem key={tab.id} tab={tab} conversationId={panel.conversationId} current={tab.id === panel.artifactId} />
      ))}
    </nav>
  )
}

function TabItem({ tab, conversationId, current }: { tab: Tab; conversationId: string; current: boolean }) {
  const { t } = useLingui()
  const { icon: Icon } = kindOf(tab.kind)
  const title = visibleText(tab.title)
  const place = useRef<HTMLSpanElement>(null)
  useEffect(() => {
    if (current) place.current?.scrollIntoView({ block: 'nearest', inline: 'nearest' })
  }, [current])
  return (
    <span
      ref={place}
      className={`flex h-full max-w-44 shrink-0 items-center rounded-t-lg ${current ? 'border border-b-0 border-line bg-bg text-fg' : 'text-fg2 hover:bg-hover'}`}
      onAuxClick={(event) => event.button === 1 && closeTab(conversationId, tab.id)}
    >
      <button
        type="button"
        aria-current={current ? 'true' : undefined}
        title={title}
        onClick={() => openPanel(conversationId, tab.id)}
        className="flex h-full min-w-0 flex-1 items-center gap-1.5 rounded-lg ps-2.5 text-[12.5px] font-medium outline-offset-[-2px]"
      >
        <Icon className="size-3.5 shrink-0 text-fg3" aria-hidden />
        <span className="truncate"><PlainText text={tab.title} prose /></span>
      </button>
      <button type="button" aria-label={t`Close ${title}`} onClick={() => closeTab(conversationId, tab.id)} className="mx-1 grid size-6 shrink-0 place-items-center rounded text-fg3 hover:bg-hover hover:text-fg">
        <X className="size-3" aria-hidden />
      </button>
    </span>
  )
}
