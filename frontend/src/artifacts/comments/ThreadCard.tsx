// One thread of comments beside the text.
import { useState } from 'react'
import { useLingui } from '@lingui/react/macro'
import { Check } from 'lucide-react'
import { errorMessage } from '../../api/client'
import type { CommentItem } from '../../api/generated'
import { DeleteCommentButton } from '../../sharing/DeleteCommentButton'
import { sharingApi } from '../../sharing/sharingApi'
import { Avatar } from '../../ui/Avatar'
import { ErrorLine } from '../../ui/FormDialog'
import { relativeTime } from '../../ui/relativeTime'
import { CommentField } from './CommentField'
import type { Thread } from './threads'

type Props = {
  thread: Thread
  isActive: boolean
  hasPassage: boolean
  /** A reply that is being written. */
  text: string
  onWrite(text: string): void
  onChange(): Promise<void>
  onReply(text: string): Promise<void>
  onLeave(): void
}

export function ThreadCard({ thread: { first, replies }, isActive, hasPassage, text, onWrite, onChange, onReply, onLeave }: Props) {
  const { t } = useLingui()
  const [error, setError] = useState('')
  const run = (work: Promise<unknown>) => {
    setError('')
    work.then(onChange).catch((problem: unknown) => setError(errorMessage(problem)))
  }
  const resolve = () => {
    run(sharingApi.resolveComment(first.shareId, first.id, true))
    onLeave()
  }
  const remove = (id: string) => run(sharingApi.deleteComment(first.shareId, id))
  return (
    <>
      {first.anchor && !hasPassage && <p className="mb-1.5 line-clamp-2 border-s-2 border-line2 ps-2 text-[12.5px] text-fg2">{first.anchor.quote}</p>}
      <CommentBody comment={first} replies={replies.length} isShort={!isActive} onDelete={remove} onLeave={onLeave}>
        {first.mayComment && (
          <button type="button" className="icon size-7 pointer-coarse:size-11" aria-label={t`Resolve`} title={t`Resolve`} onClick={resolve}>
            <Check className="size-3.5" aria-hidden />
          </button>
        )}
      </CommentBody>
      {replies.map((reply) => (
        <CommentBody key={reply.id} comment={reply} replies={0} isShort={!isActive} onDelete={remove} onLeave={onLeave} />
      ))}
      {error && <ErrorLine text={error} />}
      {isActive && first.mayComment && <CommentField label={t`Reply`} text={text} onWrite={onWrite} onSend={onReply} />}
    </>
  )
}

type CommentBodyProps = { comment: CommentItem; replies: number; isShort: boolean; onDelete(id: string): void; onLeave(): void; children?: React.ReactNode }

function CommentBody({ comment: { id, author, text, createdAt, mayDelete }, replies, isShort, onDelete, onLeave, children }: CommentBodyProps) {
  const { t } = useLingui()
  const name = author || t`Former member`
  return (
    <div className="not-first:mt-2.5">
      <div className="flex min-h-7 items-center gap-2 text-[13px]">
        <Avatar name={name} url={null} shape="round" />
        <span className="truncate font-semibold">{name}</span>
        <span className="shrink-0 text-[12px] text-fg2">{relativeTime(Date.parse(createdAt), Date.now())}</span>
        <span className="ms-auto flex shrink-0">
          {mayDelete && !isShort && <DeleteCommentButton replies={replies} onDelete={() => onDelete(id)} onLeave={onLeave} />}
          {children}
        </span>
      </div>
      <p className={`mt-0.5 whitespace-pre-wrap text-[13.5px] leading-[1.45] [overflow-wrap:anywhere] ${isShort ? 'line-clamp-4' : ''}`}>{text}</p>
    </div>
  )
}
