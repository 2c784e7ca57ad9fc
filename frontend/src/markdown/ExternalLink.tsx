import type { ReactNode } from 'react'
import { isSafeLink } from './links'

type Props = { href: string; className?: string | undefined; children: ReactNode }

/** A link from a model or a provider. `title` shows the real address before the reader opens it. */
export function ExternalLink({ href, className, children }: Props) {
  if (!isSafeLink(href)) return <span className={className}>{children}</span>
  return (
    <a href={href} title={href} className={className} target="_blank" rel="noopener noreferrer nofollow">
      {children}
    </a>
  )
}
