import { Trans } from '@lingui/react/macro'
import { unicodeHost } from './hostName'
import { PlainText } from './PlainText'

/** A host on a line of its own, in bold; below it, how it reads in Unicode, if that differs. */
export function HostLine({ host }: { host: string }) {
  const unicode = unicodeHost(host)
  return (
    <span className="block [overflow-wrap:anywhere]" data-host>
      <strong className="font-mono font-semibold text-fg">
        <PlainText text={host} />
      </strong>
      {unicode && (
        <span className="block text-fg2">
          <Trans>reads as <PlainText text={unicode} /></Trans>
        </span>
      )}
    </span>
  )
}
