// What somebody shares with this member by name, or what this member shares: to read, comment on, and edit beside.
import { Suspense, useEffect } from 'react'
import { t } from '@lingui/core/macro'
import { Trans } from '@lingui/react/macro'
import { FileText, Pencil } from 'lucide-react'
import type { OpenedShare, SharedPiece } from '../../api/generated'
import { closePanel, openPanel, usePanel } from '../../artifacts/store'
import { DESKTOP, useMedia } from '../../browser/useMedia'
import { Markdown } from '../../markdown/Markdown'
import { ErrorLine } from '../../ui/FormDialog'
import { lazyWithRetry } from '../../ui/lazyComponent'
import { Comments, type Place } from './Comments'
import { useOpenedShare } from './useOpenedShare'

const ArtifactPanel = lazyWithRetry(() => import('../../artifacts/panel/Panel'))

export default function SharedPage({ id }: { id: string }) {
  const [{ share, isGone, error }, reload] = useOpenedShare(id)
  const mayEdit = share?.mayEdit ?? false
  useEffect(() => () => closePanel(), [id, mayEdit])
  if (isGone) return <ShareGone />
  return (
    <div className="flex min-h-0 flex-1">
      <div className="min-h-0 min-w-0 flex-1 overflow-y-auto" tabIndex={0} role="region" aria-label={share?.title ?? t`Shared`}>
        <div className="column pb-16 pt-4">
          {error && <ErrorLine text={error} />}
          {share && <Content share={share} onChange={reload} />}
        </div>
      </div>
      {mayEdit && <EditPlace />}
    </div>
  )
}

function ShareGone() {
  return (
    <div className="column grid flex-1 place-content-center text-center" role="status">
      <h2 className="text-[18px] font-semibold"><Trans>This is no longer shared with you</Trans></h2>
      <p className="mt-1.5 text-[14px] text-fg2"><Trans>It has expired, or sharing was stopped. Ask the person who shared it.</Trans></p>
    </div>
  )
}

function Content({ share, onChange }: { share: OpenedShare; onChange(): void }) {
  return (
    <>
      <h2 className="text-[24px] font-[680] tracking-[-0.026em] [overflow-wrap:anywhere]">{share.title}</h2>
      <p className="mt-1 text-[13.5px] text-fg2">{share.isOwn ? t`Shared by you` : t`Shared by ${share.owner}`} · {rightText(share)}</p>
      <div className="mt-5 grid grid-cols-1 gap-6">
        {share.pieces.map((piece, index) => (
          <Piece key={keyOf(share, piece, index)} share={share} piece={piece} onChange={onChange} />
        ))}
      </div>
      {share.cut && <p className="mt-6 text-[13.5px] text-fg2"><Trans>The rest is too long to show here.</Trans></p>}
    </>
  )
}

/** The same when pieces before it come or go, so that a comment that is being written stays at its place. */
function keyOf({ pieces }: OpenedShare, { messageId, artifactId }: SharedPiece, index: number): string {
  const isOfSame = (other: SharedPiece) => other.messageId === messageId && other.artifactId === artifactId
  return `${messageId ?? artifactId ?? ''} ${pieces.slice(0, index).filter(isOfSame).length}`
}

function rightText({ isOwn, mayEdit, mayComment }: OpenedShare): string {
  if (isOwn) return t`what readers see and say`
  if (mayEdit) return t`you can comment and edit documents`
  return mayComment ? t`you can comment` : t`you can read`
}

/** Comments on a message stand below its last piece, so that an answer around a document has them once. */
function isLastOfMessage({ pieces }: OpenedShare, piece: SharedPiece): boolean {
  return pieces.findLast(({ messageId }) => messageId === piece.messageId) === piece
}

function Piece({ share, piece, onChange }: { share: OpenedShare; piece: SharedPiece; onChange(): void }) {
  if (piece.kind === 'artifact') return <DocumentPiece share={share} piece={piece} onChange={onChange} />
  const comments = share.comments.filter(({ messageId }) => messageId === piece.messageId)
  const showsComments = piece.messageId !== null && isLastOfMessage(share, piece)
  return (
    <section aria-label={piece.kind === 'question' ? t`Question` : piece.heading || t`Answer`}>
      {piece.heading && <h3 className="mb-1 text-[13.5px] font-semibold">{piece.heading}</h3>}
      {piece.kind === 'file' && <p className="text-[13.5px] text-fg2">{piece.note}</p>}
      {piece.kind === 'question' && <div className="ms-auto w-fit max-w-[85%] whitespace-pre-wrap rounded-2xl bg-soft px-4 py-2.5 text-[15px] [overflow-wrap:anywhere]">{piece.markdown}</div>}
      {piece.kind === 'answer' && piece.markdown && <Markdown text={piece.markdown} />}
      {showsComments && <Comments share={share} place={{ messageId: piece.messageId } as Place} comments={comments} onChange={onChange} />}
    </section>
  )
}

function DocumentPiece({ share, piece, onChange }: { share: OpenedShare; piece: SharedPiece; onChange(): void }) {
  const { artifactId, version, heading } = piece
  const comments = share.comments.filter((comment) => comment.artifactId === artifactId)
  if (artifactId === null || version === null) return null
  return (
    <section aria-label={heading} className="rounded-2xl border border-line">
      <div className="flex items-center gap-2 border-b border-line px-4 py-2.5">
        <FileText className="size-4 shrink-0 text-fg3" aria-hidden />
        <h3 className="min-w-0 truncate text-[14px] font-semibold">{heading}</h3>
        <span className="truncate text-[12.5px] text-fg2">{piece.note}</span>
        {share.mayEdit && (
          <button type="button" className="btn ms-auto shrink-0" onClick={() => openPanel(artifactId, artifactId)}>
            <Pencil className="size-3.5" aria-hidden />
            <Trans>Edit</Trans>
          </button>
        )}
      </div>
      <div className="px-4 py-3">
        <Markdown text={piece.markdown} />
        <Comments share={share} place={{ artifactId, version } as Place} comments={comments} onChange={onChange} />
      </div>
    </section>
  )
}

/** The ordinary panel. A document that is shared stands under its own id in place of a conversation's, so that it is alone in the panel. */
function EditPlace() {
  const panel = usePanel()
  const desktop = useMedia(DESKTOP)
  if (!panel || panel.conversationId !== panel.artifactId) return null
  return (
    <Suspense fallback={null}>
      <ArtifactPanel key={panel.artifactId} panel={panel} desktop={desktop} />
    </Suspense>
  )
}
