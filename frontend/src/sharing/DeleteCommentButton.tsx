import { useRef, useState } from 'react'
import { plural, t } from '@lingui/core/macro'
import { Trash2 } from 'lucide-react'
import { QuestionDialog } from '../ui/QuestionDialog'

type Props = {
  /** How many go with the comment; it asks first if there are any. */
  replies: number
  /** Returns whether it was deleted. */
  onDelete(): Promise<boolean>
  /** Moves the focus after it was deleted. */
  onLeave(): void
}

export function DeleteCommentButton({ replies, onDelete, onLeave }: Props) {
  const [isAsking, setIsAsking] = useState(false)
  const button = useRef<HTMLButtonElement>(null)
  const isDeleted = useRef(false)
  const remove = async () => {
    isDeleted.current = await onDelete()
  }
  const moveFocus = () => (isDeleted.current ? onLeave() : button.current?.focus())
  return (
    <>
      <button ref={button} type="button" className="icon size-7 pointer-coarse:size-11" aria-haspopup={replies ? 'dialog' : undefined} aria-label={t`Delete the comment`} title={t`Delete`} onClick={replies ? () => setIsAsking(true) : () => void remove().then(moveFocus)}>
        <Trash2 className="size-3.5" aria-hidden />
      </button>
      {isAsking && (
        <QuestionDialog
          title={t`Delete this comment?`}
          says={plural(replies, { one: 'Its reply is deleted, too. This cannot be undone.', other: 'Its # replies are deleted, too. This cannot be undone.' })}
          action={t`Delete`}
          onAct={remove}
          onClose={() => setIsAsking(false)}
          focusAfter={moveFocus}
        />
      )}
    </>
  )
}
