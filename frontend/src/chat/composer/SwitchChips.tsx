import { useLingui } from '@lingui/react/macro'
import { Globe, Plug, X } from 'lucide-react'
import { visibleText } from '../../plainText/segments'
import { flip, type SwitchState } from './switches'

export function SwitchIcon({ one }: { one: SwitchState }) {
  const Icon = one.isPlatforms ? Globe : Plug
  return <Icon className="size-4 shrink-0" aria-hidden />
}

/** What is on for the next message. A click switches it off; the menu switches it on again. */
export function SwitchChips({ switches }: { switches: readonly SwitchState[] }) {
  return switches.filter((one) => one.isOnNow).map((one) => <SwitchChip key={one.key} one={one} />)
}

function SwitchChip({ one }: { one: SwitchState }) {
  const { t } = useLingui()
  const name = visibleText(one.label)
  return (
    <button
      type="button"
      className="ghost max-w-40 bg-soft text-accent hover:bg-soft hover:text-accent"
      aria-label={t`${name} is on. Switch it off`}
      title={t`${name}: click to switch it off`}
      onClick={() => flip(one)}
    >
      <SwitchIcon one={one} />
      <span className="truncate max-sm:hidden">{one.isPlatforms ? t`Search` : name}</span>
      <X className="size-3.5 shrink-0" aria-hidden />
    </button>
  )
}
