// What the visitor switches on and off for the next messages, where the admins let them.
import { Check } from 'lucide-react'
import { flip, useSwitches, type SwitchState } from '../chat/composer/switches'
import { SwitchIcon } from '../chat/composer/SwitchChips'
import { visibleText } from '../plainText/segments'
import { emit } from './port'

export function VisitorSwitches() {
  const switches = useSwitches()
  if (switches.length === 0) return null
  return (
    <div className="flex flex-wrap gap-1.5 px-1.5 pb-1.5">
      {switches.map((one) => (
        <VisitorSwitch key={one.key} one={one} />
      ))}
    </div>
  )
}

function VisitorSwitch({ one }: { one: SwitchState }) {
  const press = () => {
    flip(one)
    emit('switch-change', { key: one.key, label: one.label, isOn: !one.isOnNow })
  }
  return (
    <button type="button" className={`ghost max-w-full ${one.isOnNow ? 'bg-soft text-accent hover:bg-soft hover:text-accent' : ''}`} aria-pressed={one.isOnNow} title={visibleText(one.hint) || undefined} onClick={press}>
      <SwitchIcon one={one} />
      <span className="truncate">{visibleText(one.label)}</span>
      {one.isOnNow && <Check className="size-3.5 shrink-0" aria-hidden />}
    </button>
  )
}
