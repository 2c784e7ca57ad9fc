import type { ReactNode } from 'react'
import { Dialog } from 'radix-ui'
import { useFocusBack } from '../ui/useFocusBack'

/** The sidebar of a narrow screen. It slides in from the left, traps the focus, and closes with Esc or a tap beside it. */
export function Drawer(props: { open: boolean; onOpenChange(open: boolean): void; title: string; children: ReactNode }) {
  const focus = useFocusBack()
  return (
    <Dialog.Root open={props.open} onOpenChange={props.onOpenChange}>
      <Dialog.Portal>
        <Dialog.Overlay className="fade fixed inset-0 z-40 bg-scrim" />
        <Dialog.Content {...focus} className="drawer fixed inset-y-0 start-0 z-40 w-[min(19rem,86vw)] outline-none" aria-describedby={undefined}>
          <Dialog.Title className="sr-only">{props.title}</Dialog.Title>
          {props.children}
        </Dialog.Content>
      </Dialog.Portal>
    </Dialog.Root>
  )
}
