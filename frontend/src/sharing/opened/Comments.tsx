import { useEffect, useId, useRef, useState } from 'react'
import { plural, t } from '@lingui/core/macro'
import { Trans } from '@lingui/react/macro'
import { Check, MessageSquarePlus, Pencil, RotateCcw } from 'lucide-react'
import { errorMessage } from '../../api/client'
import { TEXT_LIMITS, type CommentItem, type NewComment, type OpenedShare } from '../../api/generated'
import { ErrorLine } from '../../ui/FormDialog'
import { relativeTime } from '../../ui/relativeTime'
import { DeleteCommentButton } from '../DeleteCommentButton'
import { sharingApi } from '../sharingApi'
import { charactersOver, TooLong } from '../TooLong'

/** Where a comment stands: at a message, or at a version of a document. */
export type Place = Omit<NewComment, 'text'>

type Props = { share: OpenedShare; place: Place; comments: readonly CommentItem[]; onChange(): void }

/** The comments at one place, and the form for another one. */
export function Comments({ share, place, comments, onChange }: Props) {
  const [isWriting, setIsWriting] = useState(false)
  const box = useRef<HTMLDivElement>(null)
  const button = useRef<HTMLButtonElement>(null)
  /** To what stays when a comment or a form is gone. */
  const moveFocus = () => (button.current ?? box.current?.closest<HTMLElement>('[role="region"]'))?.focus()
  const wasWriting = useRef(false)
  useEffect(() => {
    if (wasWriting.current && !isWriting) moveFocus()
    wasWriting.current = isWriting
  }, [isWriting])
  const endWriting = () => setIsWriting(false)
  const done = () => {
    endWriting()
    onChange()
  }
  if (!comments.length && !share.mayComment) return null
  return (
    <div ref={box} className="mt-2">
      {comments.length > 0 && (
        <ul aria-label={plural(comments.length, { one: '# comment', other: '# comments' })} className="grid grid-cols-1 gap-1.5">
          {inThreads(comments).map((comment) => (
            <Comment key={comment.id} share={share} comment={comment} replies={comments.filter(({ threadId }) => threadId === comment.id).length} onChange={onChange} onLeave={moveFocus} />
          ))}
        </ul>
      )}
      {isWriting && <CommentForm action={t`Comment`} onSend={(text) => sharingApi.comment(share.id, { ...place, text })} onDone={done} onCancel={endWriting} />}
      {share.mayComment && !isWriting && (
        <button ref={button} type="button" className="ghost -ms-2 mt-1" onClick={() => setIsWriting(true)}>
          <MessageSquarePlus className="size-3.5" aria-hidden />
          <Trans>Comment</Trans>
        </button>
      )}
    </div>
  )
}

/** Each reply behind what it answers. */
const inThreads = (comments: readonly CommentItem[]): readonly CommentItem[] =>
  comments.filter(({ threadId }) => threadId === null).flatMap((first) => [first, ...comments.filter(({ threadId }) => threadId === first.id)])

type CommentProps = {
  share: OpenedShare
  comment: CommentItem
  replies: number
  onChange(): void
  /** Moves the focus after it was deleted. */
  onLeave(): void
}

function Comment({ share, comment, replies, onChange, onLeave }: CommentProps) {
  const [error, setError] = useState('')
  const [isEditing, setIsEditing] = useState(false)
  const edit = useRef<HTMLButtonElement>(null)
  const author = comment.author || t`Former member`
  const { resolvedBy } = comment
  const isResolved = comment.resolvedAt !== null
  const time = relativeTime(Date.parse(comment.createdAt), Date.now())
  const run = async (work: Promise<unknown>): Promise<boolean> => {
    setError('')
    const problem: unknown = await work.then(() => null, (refusal: unknown) => refusal)
    if (problem) setError(errorMessage(problem))
    else onChange()
    return !problem
  }
  const endEdit = () => {
    setIsEditing(false)
    setTimeout(() => edit.current?.focus())
  }
  const resolveLabel = isResolved ? t`Reopen` : t`Resolve`
  const Icon = isResolved ? RotateCcw : Check
  return (
    <li aria-label={t`Comment by ${author}`} className={`rounded-xl border border-line bg-side px-3 py-2 text-[13.5px] ${comment.threadId ? 'ms-6' : ''}`}>
      <div className="flex items-center gap-2 text-[12.5px] text-fg2">
        <span className="truncate font-semibold text-fg">{author}</span>
        <span className="shrink-0">{comment.editedAt ? t`${time}, edited` : time}</span>
        {comment.version !== null && <span className="shrink-0"><Trans>version {comment.version}</Trans></span>}
        {isResolved && <span className="min-w-0 truncate font-medium text-ok">{resolvedBy ? <Trans>Resolved by {resolvedBy}</Trans> : <Trans>Resolved</Trans>}</span>}
        <span className="ms-auto flex shrink-0">
          {share.mayComment && comment.threadId === null && (
            <button type="button" className="icon size-7 pointer-coarse:size-11" aria-label={resolveLabel} title={resolveLabel} onClick={() => void run(sharingApi.resolveComment(share.id, comment.id, !isResolved))}>
              <Icon className="size-3.5" aria-hidden />
            </button>
          )}
          {comment.mayEdit && (
            <button ref={edit} type="button" className="icon size-7 pointer-coarse:size-11" aria-label={t`Edit the comment`} aria-expanded={isEditing} title={t`Edit`} onClick={() => setIsEditing(true)}>
              <Pencil className="size-3.5" aria-hidden />
            </button>
          )}
          {comment.mayDelete && <DeleteCommentButton replies={replies} onDelete={() => run(sharingApi.deleteComment(share.id, comment.id))} onLeave={onLeave} />}
        </span>
      </div>
      {comment.anchor && <blockquote dir="auto" className="my-1 line-clamp-3 border-s-2 border-line2 ps-2 text-[12.5px] text-fg2">{comment.anchor.quote}</blockquote>}
      {isEditing ? (
        <CommentForm action={t`Save`} before={comment.text} onSend={(text) => sharingApi.editComment(share.id, comment.id, text)} onDone={() => (onChange(), endEdit())} onCancel={endEdit} />
      ) : (
        <p dir="auto" className={`mt-0.5 whitespace-pre-wrap [overflow-wrap:anywhere] ${isResolved ? 'text-fg2' : ''}`}>{comment.text}</p>
      )}
      {error && <ErrorLine text={error} />}
    </li>
  )
}

/** `action`: the words of the button that sends. `before`: the text of a comment that is edited. */
type CommentFormProps = { action: string; before?: string; onSend(text: string): Promise<unknown>; onDone(): void; onCancel(): void }

function CommentForm({ action, before = '', onSend, onDone, onCancel }: CommentFormProps) {
  const [text, setText] = useState(before)
  const [busy, setBusy] = useState(false)
  const [error, setError] = useState('')
  const limit = useId()
  const over = charactersOver(text, TEXT_LIMITS.comment)
  const send = () => {
    setBusy(true)
    setError('')
    onSend(text).then(onDone, (problem: unknown) => {
      setError(errorMessage(problem))
      setBusy(false)
    })
  }
  return (
    <form
      className="mt-2"
      onSubmit={(event) => {
        event.preventDefault()
        send()
      }}
    >
      <textarea autoFocus dir="auto" rows={2} className="field h-auto max-h-60 py-2 aria-invalid:border-bad [field-sizing:content]" aria-label={t`Your comment`} value={text} aria-invalid={over > 0} aria-describedby={limit} onChange={(event) => setText(event.target.value)} onKeyDown={(event) => event.key === 'Escape' && text === before && onCancel()} />
      <TooLong id={limit} over={over} />
      {error && <ErrorLine text={error} />}
      <div className="mt-1.5 flex gap-2">
        <button type="submit" className="btn-primary" disabled={busy || !text.trim() || over > 0}>
          {action}
        </button>
        <button type="button" className="btn" onClick={onCancel}>
          <Trans>Cancel</Trans>
        </button>
      </div>
    </form>
  )
}
