// The keyboard shortcuts of the page, on one look. What is not in the list is in a menu or a tooltip.
import { t } from '@lingui/core/macro'
import { Trans } from '@lingui/react/macro'
import { X } from 'lucide-react'
import { Dialog } from 'radix-ui'
import { useSendKey, type SendKey } from '../chat/composer/sendKey'
import { shortcutKey, shortcutLabel } from '../navigation/shortcuts'
import { closeShortcuts, focusOpener } from './dialogState'

type Group = { readonly title: string; readonly rows: readonly (readonly [what: string, key: string])[] }

function groups(sendKey: SendKey): readonly Group[] {
  const sends = sendKey === 'enter' ? t`Enter` : shortcutKey(t`Enter`)
  return [
    {
      title: t`Everywhere`,
      rows: [
        [t`Search your chats`, shortcutLabel('K')],
        [t`New chat`, shortcutLabel('O', true)],
        [t`Find in this chat`, shortcutLabel('F')],
        [t`Copy the newest answer`, shortcutLabel('C', true)],
        [t`Show or hide the sidebar`, shortcutLabel('B')],
        [t`Go to the message box`, '/'],
        [t`Keyboard shortcuts`, `? ${t`or`} ${shortcutLabel('/')}`],
      ],
    },
    {
      title: t`Message box`,
      rows: [
        [t`Send`, sends],
        [t`New line`, sendKey === 'enter' ? t`Shift+Enter` : t`Enter`],
        [t`Add files`, shortcutLabel('U')],
        [t`Insert a prompt`, '/'],
        [t`Choose an assistant`, '@'],
        [t`Edit your last message`, '↑'],
        [t`Stop the answer`, t`Esc`],
      ],
    },
    {
      title: t`Documents and programs`,
      rows: [
        [t`Save as a version`, shortcutLabel('S')],
        [t`Find and replace`, shortcutLabel('F')],
        [t`Run the program`, shortcutKey(t`Enter`)],
        [t`Leave full screen`, t`Esc`],
      ],
    },
  ]
}

export default function ShortcutsDialog() {
  const sendKey = useSendKey()
  return (
    <Dialog.Root open onOpenChange={(open) => !open && closeShortcuts()}>
      <Dialog.Portal>
        <Dialog.Overlay className="fade fixed inset-0 z-50 bg-scrim" />
        <Dialog.Content
          aria-describedby={undefined}
          onCloseAutoFocus={focusOpener}
          className="rise fixed left-1/2 top-1/2 z-50 max-h-[92dvh] w-[min(46rem,94vw)] -translate-x-1/2 -translate-y-1/2 overflow-y-auto rounded-[18px] border border-line bg-raise p-5 shadow-pop outline-none"
        >
          <Dialog.Title className="text-[16px] font-semibold"><Trans>Keyboard shortcuts</Trans></Dialog.Title>
          <div className="mt-2 columns-2 gap-8 max-sm:columns-1">
            {groups(sendKey).map(({ title, rows }) => (
              <section key={title} aria-label={title} className="break-inside-avoid pt-3">
                <h3 className="text-[12.5px] font-semibold text-fg3">{title}</h3>
                <dl className="mt-1">
                  {rows.map(([what, key]) => (
                    <div key={what} className="flex items-center justify-between gap-4 border-b border-line py-2 text-[14px] last:border-0">
                      <dt>{what}</dt>
                      <dd className="kbd shrink-0">{key}</dd>
                    </div>
                  ))}
                </dl>
              </section>
            ))}
          </div>
          <Dialog.Close className="icon absolute end-3 top-3" aria-label={t`Close`} title={t`Close (Esc)`}>
            <X className="size-4" aria-hidden />
          </Dialog.Close>
        </Dialog.Content>
      </Dialog.Portal>
    </Dialog.Root>
  )
}
