import { useState } from 'react'
import { Trans, useLingui } from '@lingui/react/macro'
import { isSafeLink } from '../../markdown/links'

type Props = { href: string; onSave(href: string): void; onClose(): void }

const EXAMPLE = 'https://example.org'

const withScheme = (href: string): string => (/^[\w-]+(\.[\w-]+)+/.test(href) ? `https://${href}` : href)

/** Asks for the address of a link. Without one the link is removed. */
export function LinkField({ href, onSave, onClose }: Props) {
  const { t } = useLingui()
  const [address, setAddress] = useState(href)
  const whole = withScheme(address.trim())
  const isBad = whole !== '' && !isSafeLink(whole)
  const submit = (event: React.FormEvent) => {
    event.preventDefault()
    if (!isBad) onSave(whole)
  }
  const onKeyDown = (event: React.KeyboardEvent) => {
    if (event.key !== 'Escape') return
    event.preventDefault()
    event.stopPropagation()
    onClose()
  }
  return (
    <form onSubmit={submit} onKeyDown={onKeyDown} aria-label={t`Link`} className="flex shrink-0 flex-wrap items-center gap-2 border-b border-line bg-side px-3 py-2">
      <input
        autoFocus
        value={address}
        onFocus={(event) => event.target.select()}
        onChange={(event) => setAddress(event.target.value)}
        aria-label={t`Address of the link`}
        aria-invalid={isBad}
        placeholder={t`For example ${EXAMPLE}`}
        className="field min-w-40 flex-1"
      />
      <button type="submit" className="btn-primary" disabled={isBad || (!whole && !href)}>
        {whole || !href ? <Trans>Set link</Trans> : <Trans>Remove link</Trans>}
      </button>
      {href && whole && (
        <button type="button" className="btn" onClick={() => onSave('')}>
          <Trans>Remove link</Trans>
        </button>
      )}
      <button type="button" className="btn" onClick={onClose}>
        <Trans>Cancel</Trans>
      </button>
      {isBad && (
        <p role="alert" className="basis-full text-[12.5px] text-bad">
          <Trans>A link begins with https://, mailto: or /.</Trans>
        </p>
      )}
    </form>
  )
}
