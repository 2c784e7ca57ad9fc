import { Dialog } from 'radix-ui'

type Props = { title: string; says: string; onClose(): void; onSubmit(): void; onCloseAutoFocus?(event: Event): void; children: React.ReactNode }

/** A small dialog around one form. */
export function FormDialog({ title, says, onClose, onSubmit, onCloseAutoFocus, children }: Props) {
  return (
    <Dialog.Root open onOpenChange={(open) => !open && onClose()}>
      <Dialog.Portal>
        <Dialog.Overlay className="fade fixed inset-0 z-50 bg-scrim" />
        <Dialog.Content className="rise fixed left-1/2 top-[10vh] z-50 max-h-[80vh] w-[min(30rem,94vw)] -translate-x-1/2 overflow-y-auto rounded-2xl border border-line bg-raise p-5 shadow-pop" onCloseAutoFocus={onCloseAutoFocus}>
          <Dialog.Title className="text-[16px] font-semibold [overflow-wrap:anywhere]">{title}</Dialog.Title>
          <Dialog.Description className="mt-1.5 text-[14px] text-fg2">{says}</Dialog.Description>
          <form
            onSubmit={(event) => {
              event.preventDefault()
              onSubmit()
            }}
          >
            {children}
          </form>
        </Dialog.Content>
      </Dialog.Portal>
    </Dialog.Root>
  )
}

export function ErrorLine({ text }: { text: string }) {
  return (
    <p role="alert" className="mt-3 rounded-lg bg-bad-soft px-3 py-2 text-[13.5px] text-bad">
      {text}
    </p>
  )
}
