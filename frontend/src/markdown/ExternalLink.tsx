import { createContext, useContext, useState, type ReactNode } from 'react'
import { LinkDialog } from './LinkDialog'
import { isSafeLink } from './links'
import { hasPlaceholder, linkTarget } from './linkTarget'

/** Whether a link shows what its address says before it is opened. False only where nobody but the user has told the model anything. */
export const LinksAsk = createContext(true)

type Props = { href: string; className?: string | undefined; children: ReactNode }

/** A link from a model or a provider. `title` shows the real address before the reader opens it. */
export function ExternalLink({ href, className, children }: Props) {
  const asks = useContext(LinksAsk)
  if (!isSafeLink(href) || hasPlaceholder(href)) return <span className={className}>{children}</span>
  const target = asks ? linkTarget(href, location.href) : undefined
  if (target) return <ConfirmLink {...{ href, className, target, children }} />
  return (
    <a href={href} title={href} className={className} target="_blank" rel="noopener noreferrer nofollow">
      {children}
    </a>
  )
}

/** Without an address of its own, so that no middle click and no menu of the browser opens it unseen. */
function ConfirmLink({ href, className, target, children }: Props & { target: NonNullable<ReturnType<typeof linkTarget>> }) {
  const [open, setOpen] = useState(false)
  const onKeyDown = (event: React.KeyboardEvent) => {
    if (event.key !== 'Enter') return
    event.preventDefault()
    setOpen(true)
  }
  return (
    <>
      <a role="link" tabIndex={0} className={`cursor-pointer ${className ?? ''}`} title={target.host} onClick={() => setOpen(true)} onKeyDown={onKeyDown}>
        {children}
      </a>
      {open && <LinkDialog href={href} target={target} onClose={() => setOpen(false)} />}
    </>
  )
}
