import { useLingui } from '@lingui/react/macro'
import { initials } from '../../ui/initials'
import { useStore } from '../../ui/store'
import type { LiveSession } from './liveSession'
import { colourOf, membersOf } from './writers'

const MAX_SHOWN = 4

/** The others who write here just now. */
export function Writers({ session }: { session: LiveSession }) {
  const { t } = useLingui()
  const members = membersOf(useStore(session.people))
  const names = members.map(({ name }) => name).join(', ')
  const more = members.length - MAX_SHOWN
  return (
    <span role="status" className="flex shrink-0 items-center ps-1" title={names && t`Also writing: ${names}`}>
      {names && <span className="sr-only">{t`Also writing: ${names}`}</span>}
      {members.slice(0, MAX_SHOWN).map((writer) => (
        <span key={writer.member} aria-hidden className={`writer writer-${colourOf(writer)}`}>
          {initials(writer.name)}
        </span>
      ))}
      {more > 0 && <span aria-hidden className="writer">+{more}</span>}
    </span>
  )
}
