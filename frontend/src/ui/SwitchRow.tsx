import type { ReactNode } from 'react'
import { SettingRow } from './SettingRow'

type Props = { title: string; says?: ReactNode; isOn: boolean; onFlip(): void }

/** A decision between on and off. */
export function SwitchRow({ title, says, isOn, onFlip }: Props) {
  return (
    <SettingRow title={title} says={says}>
      <button type="button" role="switch" aria-checked={isOn} aria-label={title} onClick={onFlip} className="grid min-h-8 place-items-center rounded-full pointer-coarse:min-h-11 pointer-coarse:min-w-11">
        <span className="switch" data-on={isOn} aria-hidden />
      </button>
    </SettingRow>
  )
}
