import { useRef, useState } from 'react'
import { t } from '@lingui/core/macro'
import { Trans } from '@lingui/react/macro'
import { Monitor, Smartphone } from 'lucide-react'
import { errorMessage } from '../api/client'
import type { Device } from '../api/generated'
import { visibleText } from '../plainText/segments'
import { QuestionDialog } from '../ui/QuestionDialog'
import { relativeTime } from '../ui/relativeTime'
import { showToast } from '../ui/toasts'
import { signInApi } from './signInApi'

type Props = { devices: readonly Device[]; onChange(): Promise<void> }

/** Where the member is signed in; all but this device can be signed out here, after a question. */
export function Devices({ devices, onChange }: Props) {
  const [target, setTarget] = useState<Device | 'others'>()
  const heading = useRef<HTMLHeadingElement>(null)
  const others = devices.filter((device) => !device.isCurrent)
  return (
    <section aria-labelledby="devices" className="pt-4">
      <div className="flex min-h-8 flex-wrap items-center justify-between gap-x-4 pb-3">
        <h4 id="devices" ref={heading} tabIndex={-1} className="text-[14px] font-semibold">
          <Trans>Devices signed in</Trans>
        </h4>
        {others.length > 0 && (
          <button type="button" className="ghost -me-2 text-bad" onClick={() => setTarget('others')}>
            <Trans>Sign out everywhere else</Trans>
          </button>
        )}
      </div>
      <ul aria-labelledby="devices" className="grid gap-3">
        {devices.map((device) => (
          <li key={device.id} className="flex items-center gap-3">
            <span className="grid size-8.5 shrink-0 place-items-center rounded-lg bg-side text-fg2">
              <DeviceIcon name={device.name} />
            </span>
            <span className="min-w-0 flex-1">
              <span className="flex flex-wrap items-center gap-x-2 text-[14px] font-medium">
                {visibleText(device.name)}
                {device.isCurrent && (
                  <span className="rounded-md bg-soft px-1.5 py-0.5 text-[11.5px] font-semibold text-accent">
                    <Trans>This device</Trans>
                  </span>
                )}
              </span>
              <span className="block text-[12.5px] text-fg3">{whereAndWhen(device)}</span>
            </span>
            {!device.isCurrent && (
              <button type="button" className="ghost -me-2" aria-label={t`Sign out ${visibleText(device.name)}`} onClick={() => setTarget(device)}>
                <Trans>Sign out</Trans>
              </button>
            )}
          </li>
        ))}
      </ul>
      {target && <SignOutQuestion of={target} others={others} onChange={onChange} onClose={() => setTarget(undefined)} focusAfter={() => heading.current?.focus()} />}
    </section>
  )
}

type QuestionProps = { of: Device | 'others'; others: readonly Device[]; onChange(): Promise<void>; onClose(): void; focusAfter(): void }

/** Names each device that would be signed out. */
function SignOutQuestion({ of, others, onChange, ...dialog }: QuestionProps) {
  const names = (of === 'others' ? others : [of]).map(({ name }) => visibleText(name)).join(', ')
  const signOut = () => (of === 'others' ? signInApi.signOutElsewhere() : signInApi.signOut(of.id))
  return (
    <QuestionDialog
      title={of === 'others' ? t`Sign out everywhere else?` : t`Sign out ${names}?`}
      says={of === 'others' ? t`This signs out ${names}. You stay signed in here.` : t`Whoever uses it has to sign in again.`}
      action={t`Sign out`}
      onAct={() => signOut().then(onChange, (problem: unknown) => showToast(errorMessage(problem)))}
      {...dialog}
    />
  )
}

function DeviceIcon({ name }: { name: string }) {
  const Icon = /iPhone|iPad|Android/.test(name) ? Smartphone : Monitor
  return <Icon className="size-4" aria-hidden />
}

function whereAndWhen({ address, lastUsedAt, isCurrent }: Device): string {
  const when = isCurrent ? t`active now` : relativeTime(Date.parse(lastUsedAt), Date.now())
  return address ? `${address} · ${when}` : when
}
