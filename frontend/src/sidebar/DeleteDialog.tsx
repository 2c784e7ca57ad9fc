import type { RefObject } from 'react'
import { AlertDialog } from 'radix-ui'
import type { ConversationItem } from '../api/generated'
import { deleteConversation } from '../conversations/store'
import { titleOf } from '../conversations/title'

type Props = { item: ConversationItem; isOpen: boolean; onClose(): void; returnTo: RefObject<HTMLElement | null> }

/** `returnTo` gets the focus afterwards. */
export function DeleteDialog({ item, isOpen, onClose, returnTo }: Props) {
  return (
    <AlertDialog.Root open onOpenChange={(open) => !open && onClose()}>
      <AlertDialog.Portal>
        <AlertDialog.Overlay className="fade fixed inset-0 z-50 bg-black/30" />
        <AlertDialog.Content
          onCloseAutoFocus={() => returnTo.current?.focus()}
          className="rise fixed left-1/2 top-1/3 z-50 w-[min(26rem,92vw)] -translate-x-1/2 rounded-2xl border border-line bg-raise p-5 shadow-pop"
        >
          <AlertDialog.Title className="text-[16px] font-semibold">Delete this conversation?</AlertDialog.Title>
          <AlertDialog.Description className="mt-2 text-[14px] text-fg2">
            “{titleOf(item)}” and its documents will be deleted. This cannot be undone.
          </AlertDialog.Description>
          <div className="mt-5 flex justify-end gap-2">
            <AlertDialog.Cancel className="btn">Cancel</AlertDialog.Cancel>
            <AlertDialog.Action className="btn-bad" onClick={() => void deleteConversation(item.id, isOpen)}>
              Delete
            </AlertDialog.Action>
          </div>
        </AlertDialog.Content>
      </AlertDialog.Portal>
    </AlertDialog.Root>
  )
}
