// One thread of comments beside the text.
import { useRef, useState } from 'react'
import { plural } from '@lingui/core/macro'
import { Trans, useLingui } from '@lingui/react/macro'
import { Check, RotateCcw } from 'lucide-react'
import { errorMessage } from '../../api/client'
import type { CommentItem } from '../../api/generated'
import { sharingApi } from '../../sharing/sharingApi'
import { ErrorLine } from '../../ui/FormDialog'
import { relativeTime } from '../../ui/relativeTime'
import { CommentBody, ICON } from './CommentBody'
import { CommentField } from './CommentField'
import { isResolved, repliesAtRest, type Thread } from './threads'
import type { Unsent } from './unsentComments'

type Props = {
  thread: Thread
  isActive: boolean
  hasPassage: boolean
  unsent: Unsent
  onChange(): Promise<void>
  onReply(text: string): Promise<void>
  onLeave(): void
}

export function ThreadCard({ thread, isActive, hasPassage, unsent, onChange, onReply, onLeave }: Props) {
  const { t } = useLingui()
  const { first, replies } = thread
  const card = useRef<HTMLDivElement>(null)
  const [error, setError] = useState('')
  const isDone = isResolved(thread)
  const text = unsent.texts[thread.id] ?? ''
  const write = (next: string) => unsent.write(thread.id, next)
  const run = async (work: Promise<unknown>): Promise<boolean> => {
    setError('')
    const problem: unknown = await work.then(() => null, (refusal: unknown) => refusal)
    if (problem) setError(errorMessage(problem))
    void onChange() // after a refusal, too: others may have changed it
    return !problem
  }
  const toThread = () => card.current?.closest('article')?.focus()
  const setResolved = async (resolved: boolean) => {
    if (await run(sharingApi.resolveComment(first.shareId, first.id, resolved))) (resolved ? onLeave : toThread)()
  }
  const edit = async (id: string, next: string) => {
    await sharingApi.editComment(first.shareId, id, next)
    await onChange()
  }
  const body = (comment: CommentItem) => ({
    comment,
    unsent,
    isShort: !isActive,
    isDim: isDone,
    onStay: toThread,
    onEdit: (next: string) => edit(comment.id, next),
    onDelete: () => run(sharingApi.deleteComment(first.shareId, comment.id)),
  })
  const visibleReplies = isActive ? replies : repliesAtRest(replies)
  const hidden = replies.length - visibleReplies.length
  return (
    <div ref={card}>
      {first.anchor && !hasPassage && <Quote text={first.anchor.quote} />}
      <CommentBody {...body(first)} replies={replies.length} onLeave={onLeave}>
        {first.mayComment && !isDone && (
          <button type="button" className={ICON} aria-label={t`Resolve`} title={t`Resolve`} onClick={() => void setResolved(true)}>
            <Check className="size-3.5" aria-hidden />
          </button>
        )}
      </CommentBody>
      {hidden > 0 && <p className="mt-2.5 text-[12.5px] text-fg2">{plural(hidden, { one: '# more reply', other: '# more replies' })}</p>}
      {visibleReplies.map((reply) => (
        <CommentBody key={reply.id} {...body(reply)} replies={0} onLeave={toThread} />
      ))}
      {isDone && <Resolution comment={first} onReopen={() => void setResolved(false)} />}
      {error && <ErrorLine text={error} />}
      {isActive && first.mayComment && (!isDone || text) && <CommentField label={t`Reply`} action={t`Reply`} text={text} onWrite={write} onSend={onReply} onCancel={() => write('')} />}
    </div>
  )
}

/** The words that a comment is about, where the text has them no more. */
export function Quote({ text }: { text: string }) {
  return <p dir="auto" className="mb-1.5 line-clamp-2 border-s-2 border-line2 ps-2 text-[12.5px] text-fg2">{text}</p>
}

function Resolution({ comment: { resolvedBy, resolvedAt, mayComment }, onReopen }: { comment: CommentItem; onReopen(): void }) {
  const time = relativeTime(Date.parse(resolvedAt ?? ''), Date.now())
  return (
    <div className="mt-2 text-[12px] text-fg2">
      <p className="[overflow-wrap:anywhere]">{resolvedBy ? <Trans>Resolved by {resolvedBy}, {time}</Trans> : <Trans>Resolved, {time}</Trans>}</p>
      {mayComment && (
        <button type="button" className="ghost -ms-2 mt-0.5" onClick={onReopen}>
          <RotateCcw className="size-3.5" aria-hidden />
          <Trans>Reopen</Trans>
        </button>
      )}
    </div>
  )
}
