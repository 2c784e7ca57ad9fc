import { useState } from 'react'
import { t } from '@lingui/core/macro'
import { Trans } from '@lingui/react/macro'
import { Monitor, Smartphone } from 'lucide-react'
import { errorMessage } from '../api/client'
import type { Device } from '../api/generated'
import { visibleText } from '../plainText/segments'
import { relativeTime } from '../ui/relativeTime'
import { showToast } from '../ui/toasts'
import { signInApi } from './signInApi'

type Props = { devices: readonly Device[]; onChange(): Promise<void> }

/** Where the member is signed in; all but this device can be signed out here. */
export function Devices({ devices, onChange }: Props) {
  const [busy, setBusy] = useState(false)
  const end = async (work: Promise<null>) => {
    setBusy(true)
    await work.then(onChange, (problem: unknown) => showToast(errorMessage(problem)))
    setBusy(false)
  }
  return (
    <section aria-labelledby="devices" className="pt-4">
      <div className="flex min-h-8 flex-wrap items-center justify-between gap-x-4 pb-3">
        <h4 id="devices" className="text-[14px] font-semibold">
          <Trans>Devices signed in</Trans>
        </h4>
        {devices.length > 1 && (
          <button type="button" className="ghost -me-2 text-bad" disabled={busy} onClick={() => void end(signInApi.signOutElsewhere())}>
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
              <button type="button" className="ghost -me-2" disabled={busy} aria-label={t`Sign out ${visibleText(device.name)}`} onClick={() => void end(signInApi.signOut(device.id))}>
                <Trans>Sign out</Trans>
              </button>
            )}
          </li>
        ))}
      </ul>
    </section>
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
