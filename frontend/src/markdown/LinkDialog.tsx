import { Trans } from '@lingui/react/macro'
import { AlertDialog } from 'radix-ui'
import { HostLine } from '../plainText/HostLine'
import { PlainText } from '../plainText/PlainText'
import type { LinkTarget } from './linkTarget'

type Props = { href: string; target: LinkTarget; onClose(): void }

/** Shows where a link leads and what its address says, before it is opened. */
export function LinkDialog({ href, target, onClose }: Props) {
  return (
    <AlertDialog.Root open onOpenChange={(open) => !open && onClose()}>
      <AlertDialog.Portal>
        <AlertDialog.Overlay className="fade fixed inset-0 z-50 bg-scrim" />
        <AlertDialog.Content className="rise fixed left-1/2 top-1/4 z-50 max-h-[70vh] w-[min(30rem,92vw)] -translate-x-1/2 overflow-y-auto rounded-2xl border border-line bg-raise p-5 shadow-pop">
          <AlertDialog.Title className="text-[16px] font-semibold"><Trans>Open this link?</Trans></AlertDialog.Title>
          <AlertDialog.Description className="mt-1 text-[13.5px] text-fg2">
            <Trans>Its address may tell the site something from this chat.</Trans>
          </AlertDialog.Description>
          <LinkAddress target={target} />
          <div className="mt-5 flex justify-end gap-2">
            <AlertDialog.Cancel className="btn">
              <Trans>Cancel</Trans>
            </AlertDialog.Cancel>
            <AlertDialog.Action asChild>
              <a className="btn-primary" href={href} target="_blank" rel="noopener noreferrer nofollow">
                <Trans>Open</Trans>
              </a>
            </AlertDialog.Action>
          </div>
        </AlertDialog.Content>
      </AlertDialog.Portal>
    </AlertDialog.Root>
  )
}

/** The host on a line of its own, then the path and each part of the query, decoded. */
export function LinkAddress({ target }: { target: LinkTarget }) {
  return (
    <div className="mt-3 space-y-1.5 rounded-lg bg-code px-3 py-2.5 text-[13px] [overflow-wrap:anywhere]">
      {target.host && <HostLine host={target.host} />}
      {target.path && (
        <p className="font-mono text-[12px] text-fg2">
          <PlainText text={target.path} />
        </p>
      )}
      {target.query.map(([name, value], index) => (
        <p key={index} className="font-mono text-[12px] text-fg2">
          <PlainText text={name} />
          {' = '}
          <span className="text-fg">
            <PlainText text={value} />
          </span>
        </p>
      ))}
    </div>
  )
}
