// One comment of a thread, and the field in which its author edits it.
import { useState } from 'react'
import { useLingui } from '@lingui/react/macro'
import { Pencil } from 'lucide-react'
import type { CommentItem } from '../../api/generated'
import { DeleteCommentButton } from '../../sharing/DeleteCommentButton'
import { Avatar } from '../../ui/Avatar'
import { relativeTime } from '../../ui/relativeTime'
import { CommentField } from './CommentField'
import type { Unsent } from './unsentComments'

type Props = {
  comment: CommentItem
  /** How many go with it when it is deleted. */
  replies: number
  isShort: boolean
  isDim: boolean
  unsent: Unsent
  onEdit(text: string): Promise<void>
  /** Returns whether it was deleted. */
  onDelete(): Promise<boolean>
  /** Moves the focus after it was edited. */
  onStay(): void
  /** Moves the focus after it was deleted. */
  onLeave(): void
  /** Buttons. */
  children?: React.ReactNode
}

export const ICON = 'icon size-7 pointer-coarse:size-11'

export function CommentBody({ comment, replies, isShort, isDim, unsent: { texts, write }, onEdit, onDelete, onStay, onLeave, children }: Props) {
  const { t } = useLingui()
  const { author, text, createdAt, editedAt, mayEdit, mayDelete } = comment
  const key = `edit:${comment.id}`
  const [isEditing, setIsEditing] = useState(Boolean(texts[key]))
  const name = author || t`Former member`
  const time = relativeTime(Date.parse(createdAt), Date.now())
  const begin = () => {
    write(key, text)
    setIsEditing(true)
  }
  const end = () => {
    write(key, '')
    setIsEditing(false)
    onStay()
  }
  const isOpen = isEditing && mayEdit && !isShort
  return (
    <div className="not-first:mt-2.5">
      <div className="flex min-h-7 items-center gap-2">
        <Avatar name={name} url={null} shape="round" />
        <span className={`flex min-w-0 flex-1 leading-tight ${isShort ? 'items-center gap-2' : 'flex-col'}`}>
          <span className={`truncate text-[13px] font-semibold ${isDim ? 'text-fg2' : ''}`}>{name}</span>
          <span className="shrink-0 text-[12px] text-fg2">{editedAt ? t`${time}, edited` : time}</span>
        </span>
        <span className="flex shrink-0">
          {mayEdit && !isShort && !isOpen && (
            <button type="button" className={ICON} aria-label={t`Edit the comment`} title={t`Edit`} onClick={begin}>
              <Pencil className="size-3.5" aria-hidden />
            </button>
          )}
          {mayDelete && !isShort && <DeleteCommentButton replies={replies} onDelete={onDelete} onLeave={onLeave} />}
          {children}
        </span>
      </div>
      {isOpen ? (
        <CommentField isOpen label={t`Your comment`} action={t`Save`} text={texts[key] ?? ''} onWrite={(next) => write(key, next)} onSend={(next) => onEdit(next).then(end)} onCancel={end} />
      ) : (
        <p dir="auto" className={`mt-0.5 whitespace-pre-wrap text-[13.5px] leading-[1.45] [overflow-wrap:anywhere] ${isShort ? 'line-clamp-4' : ''} ${isDim ? 'text-fg2' : ''}`}>{text}</p>
      )}
    </div>
  )
}
