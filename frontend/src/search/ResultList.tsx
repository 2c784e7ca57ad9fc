import { t } from '@lingui/core/macro'
import { Trans } from '@lingui/react/macro'
import { Archive, Bot, CornerDownLeft, Folder, MessageSquare, SquarePen, User, type LucideIcon } from 'lucide-react'
import type { SearchHit, TextSegment } from '../api/generated'
import { kindOf } from '../artifacts/kinds'
import { WIDE, useMedia } from '../browser/useMedia'
import { conversationHref } from '../navigation/router'
import type { Place } from '../navigation/routes'
import { useProject } from '../projects/store'
import { ROOM, aroundHit, shortDate, type Row, type RowGroup } from './results'

type Props = { id: string; groups: readonly RowGroup[]; active: string | undefined; onPoint(id: string): void; onChoose(row: Row): void }

/** The hits as a list box whose options the input moves through. */
export function ResultList({ id, groups, active, onPoint, onChoose }: Props) {
  return (
    <div role="listbox" id={id} aria-label={t`Results`} className="px-2 pb-2">
      {groups.map((group) => (
        <div key={group.label} role="group" aria-label={group.label}>
          <p className="px-2.5 pb-1 pt-3 text-[12px] font-semibold text-fg3" aria-hidden>
            {group.label}
          </p>
          {group.rows.map((row) => (
            <Option key={row.id} row={row} isActive={row.id === active} onPoint={onPoint} onChoose={onChoose} />
          ))}
        </div>
      ))}
    </div>
  )
}

type OptionProps = { row: Row; isActive: boolean } & Pick<Props, 'onPoint' | 'onChoose'>

/** A link in all but name: a list box may not hold links, so the middle button is served by hand. */
function Option({ row, isActive, onPoint, onChoose }: OptionProps) {
  const choose = (event: React.MouseEvent) => {
    if (row.kind === 'hit' && (event.ctrlKey || event.metaKey || event.button === 1)) return openInNewTab(row.hit)
    if (event.button === 0) onChoose(row)
  }
  return (
    <div
      role="option"
      id={row.id}
      aria-selected={isActive}
      onMouseMove={() => onPoint(row.id)}
      onMouseDown={(event) => event.preventDefault()}
      onClick={choose}
      onAuxClick={choose}
      className="flex min-h-9 cursor-pointer items-start gap-2.5 rounded-lg px-2.5 py-1.5 text-[14px] aria-selected:bg-soft pointer-coarse:min-h-11"
    >
      {row.kind === 'hit' ? <HitRow hit={row.hit} isActive={isActive} /> : <NewChat text={row.text} />}
    </div>
  )
}

/** Where the conversation opens. */
export const placeOf = ({ messageId, artifactId }: SearchHit): Place => ({ ...(messageId && { messageId }), ...(artifactId && { artifactId }) })

export const openInNewTab = (hit: SearchHit): void => void window.open(conversationHref(hit.conversationId, placeOf(hit)), '_blank', 'noopener')

const iconOf = ({ kind, role }: SearchHit): LucideIcon => (kind ? kindOf(kind).icon : role === 'user' ? User : role === 'assistant' ? Bot : MessageSquare)

/** Whose words the snippet has. */
const sourceOf = ({ kind, role }: SearchHit): string => (kind ? t(kindOf(kind).name) : role === 'user' ? t`You` : t`Answer`)

function HitRow({ hit, isActive }: { hit: SearchHit; isActive: boolean }) {
  const Icon = iconOf(hit)
  const room = useMedia(WIDE) ? ROOM.desktop : ROOM.phone
  return (
    <>
      <Icon className={`mt-0.5 size-4 shrink-0 ${isActive ? 'text-accent' : 'text-fg3'}`} aria-hidden />
      <div className="min-w-0 flex-1">
        <p className="flex items-baseline gap-3">
          <span className="min-w-0 flex-1 truncate font-medium">
            <Segments of={aroundHit(hit.title, room)} otherwise={t`New chat`} />
            {hit.version !== null && hit.version > 1 && <Trans>, version {hit.version}</Trans>}
          </span>
          <Marks hit={hit} />
          <span className="shrink-0 text-[12.5px] text-fg3">{shortDate(hit.at, Date.now())}</span>
        </p>
        {(hit.snippet.length > 0 || hit.kind) && (
          <p className="line-clamp-2 text-[13px] text-fg2 [overflow-wrap:anywhere]">
            <span className="font-medium">{sourceOf(hit)}</span> <Segments of={hit.snippet} />
          </p>
        )}
      </div>
      <CornerDownLeft className={`mt-0.5 size-4 shrink-0 text-accent ${isActive ? '' : 'invisible'} max-sm:hidden`} aria-hidden />
    </>
  )
}

/** Where the conversation lies, if not simply in the list. */
function Marks({ hit }: { hit: SearchHit }) {
  const project = useProject(hit.projectId)
  const mark = 'inline-flex max-w-40 shrink-0 items-center gap-1 self-center rounded-md bg-hover px-1.5 text-[11.5px] font-medium text-fg2'
  return (
    <>
      {project && (
        <span className={mark}>
          <Folder data-color={project.color} className="id-mark size-3 shrink-0" aria-hidden />
          <span className="truncate">{project.name}</span>
        </span>
      )}
      {hit.archived && (
        <span className={mark}>
          <Archive className="size-3 shrink-0" aria-hidden />
          <Trans>Archived</Trans>
        </span>
      )}
    </>
  )
}

function Segments({ of, otherwise = '' }: { of: readonly TextSegment[]; otherwise?: string }) {
  if (of.every(({ text }) => text.trim() === '')) return otherwise
  return of.map(({ text, hit }, place) => (hit ? <mark key={place}>{text}</mark> : text))
}

function NewChat({ text }: { text: string }) {
  return (
    <>
      <SquarePen className="mt-0.5 size-4 shrink-0 text-fg3" aria-hidden />
      <span className="min-w-0 flex-1 truncate font-medium"><Trans>Start a new chat with “{text}”</Trans></span>
    </>
  )
}
