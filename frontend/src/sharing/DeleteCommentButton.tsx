import { useState } from 'react'
import { plural, t } from '@lingui/core/macro'
import { Trash2 } from 'lucide-react'
import { QuestionDialog } from '../ui/QuestionDialog'

/** `replies`: how many go with the comment; it asks first if there are any. `onLeave`: moves the focus after it was deleted. */
export function DeleteCommentButton({ replies, onDelete, onLeave }: { replies: number; onDelete(): void; onLeave?(): void }) {
  const [isAsking, setIsAsking] = useState(false)
  const remove = () => {
    onDelete()
    onLeave?.()
  }
  return (
    <>
      <button type="button" className="icon size-7 pointer-coarse:size-11" aria-haspopup={replies ? 'dialog' : undefined} aria-label={t`Delete the comment`} title={t`Delete`} onClick={replies ? () => setIsAsking(true) : remove}>
        <Trash2 className="size-3.5" aria-hidden />
      </button>
      {isAsking && (
        <QuestionDialog
          title={t`Delete this comment?`}
          says={plural(replies, { one: 'Its reply is deleted, too. This cannot be undone.', other: 'Its # replies are deleted, too. This cannot be undone.' })}
          action={t`Delete`}
          onAct={onDelete}
          onClose={() => setIsAsking(false)}
          focusAfter={() => onLeave?.()}
        />
      )}
    </>
  )
}
