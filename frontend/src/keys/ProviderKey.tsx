import { useId, useLayoutEffect, useRef, useState, type Ref } from 'react'
import { t } from '@lingui/core/macro'
import { Trans } from '@lingui/react/macro'
import { CircleAlert, CircleCheck, CircleHelp } from 'lucide-react'
import { errorMessage } from '../api/client'
import { KeyForm } from './KeyForm'
import type { KeyVerdict, ProviderKey } from '../api/generated'
import { keysApi } from './keysApi'
import { keyStatus } from './labels'

type Props = { item: ProviderKey; allowed: boolean; onChange(): void }

/** Runs one action at a time, and remembers the error of the last one. */
function useAction() {
  const [busy, setBusy] = useState('')
  const [error, setError] = useState('')
  const work = async (name: string, call: () => Promise<void>) => {
    if (busy) return
    setBusy(name)
    setError('')
    await call().catch((problem: unknown) => setError(errorMessage(problem)))
    setBusy('')
  }
  return { busy, error, work }
}

/** A ref for the button that opened a form. It gets the focus back when the form closes. */
function useFocusAfter(isOpen: boolean) {
  const button = useRef<HTMLButtonElement>(null)
  const wasOpen = useRef(false)
  useLayoutEffect(() => {
    if (wasOpen.current && !isOpen) button.current?.focus()
    wasOpen.current = isOpen
  }, [isOpen])
  return button
}

/** A provider with the state of the user's key for it, and the actions on that key. */
export function ProviderKey({ item, allowed, onChange }: Props) {
  const [entering, setEntering] = useState(false)
  const [checkResult, setCheckResult] = useState<KeyVerdict>()
  const { busy, error, work } = useAction()
  const title = useId()
  const first = useFocusAfter(entering)
  const check = () => work('check', async () => setCheckResult(await keysApi.check(item.provider)))
  const remove = () =>
    work('remove', async () => {
      await keysApi.remove(item.provider)
      setCheckResult(undefined)
      first.current?.focus()
      onChange()
    })
  const saved = () => {
    setEntering(false)
    setCheckResult(undefined)
    onChange()
    void check()
  }
  return (
    <section aria-labelledby={title} className="border-b border-line py-4 last:border-b-0">
      <h3 id={title} className="text-[14px] font-semibold">
        {item.label}
      </h3>
      <p className="mt-0.5 text-[13.5px] text-fg2">{keyStatus(item, allowed)}</p>
      {busy === 'check' ? (
        <p role="status" className="shimmer mt-2 w-fit text-[13.5px]">
          <Trans>Asking {item.label}…</Trans>
        </p>
      ) : (
        checkResult && <CheckResult checkResult={checkResult} />
      )}
      {error && (
        <p role="alert" className="mt-2 rounded-lg bg-bad-soft px-3 py-2 text-[13.5px] text-bad">
          {error}
        </p>
      )}
      {entering ? (
        <KeyForm item={item} onSaved={saved} onCancel={() => setEntering(false)} />
      ) : (
        <div className="mt-2.5 flex flex-wrap gap-2 empty:hidden">
          {allowed && (
            <Action ref={first} name={item.key ? t`Replace` : t`Enter a key`} of={item.label} onClick={() => setEntering(true)} />
          )}
          {allowed && item.key && !item.key.stale && <Action name={t`Check`} of={item.label} busy={busy !== ''} onClick={() => void check()} />}
          {item.key && <Action name={t`Remove`} of={item.label} busy={busy !== ''} onClick={() => void remove()} />}
        </div>
      )}
    </section>
  )
}

type ActionProps = { ref?: Ref<HTMLButtonElement>; name: string; of: string; busy?: boolean; onClick(): void }

/** A button whose accessible name contains the provider. It is never `disabled`, because it would lose the focus. */
function Action({ ref, name, of, busy = false, onClick }: ActionProps) {
  return (
    <button ref={ref} type="button" className="btn aria-disabled:opacity-40" aria-disabled={busy} onClick={onClick}>
      {name}
      <span className="sr-only"> <Trans>for {of}</Trans></span>
    </button>
  )
}

const LOOK = {
  ok: { Icon: CircleCheck, className: 'text-ok' },
  refused: { Icon: CircleAlert, className: 'text-bad' },
  unreachable: { Icon: CircleHelp, className: 'text-warn' },
} as const

function CheckResult({ checkResult }: { checkResult: KeyVerdict }) {
  const { Icon, className } = LOOK[checkResult.result]
  return (
    <p role="status" className={`mt-2 flex items-start gap-2 text-[13.5px] ${className}`}>
      <Icon className="mt-0.5 size-4 shrink-0" aria-hidden />
      {checkResult.message}
    </p>
  )
}
