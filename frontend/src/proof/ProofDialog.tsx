// Asks who is there before a dangerous act, inside the page: what was typed elsewhere stays.
import { useEffect, useState } from 'react'
import { t } from '@lingui/core/macro'
import { Trans } from '@lingui/react/macro'
import { errorMessage } from '../api/client'
import type { Proof } from '../api/generated'
import { waitingForProof } from '../api/proof'
import { ErrorLine, FormDialog } from '../ui/FormDialog'
import { useStore } from '../ui/store'
import { proofApi } from './proofApi'

const PASSKEY_PAGE = '/accounts/2fa/passkeys/confirm/?next=/accounts/'
const OTHER_PAGE = '/accounts/reauthenticate/?next=/accounts/'

export function ProofDialog() {
  const settle = useStore(waitingForProof)
  return settle && <ProofForm settle={settle} />
}

/** How this person can confirm. It asks again whenever the window gets the focus back, and settles if that was done in another tab. */
function useProof(settle: (isProven: boolean) => void) {
  const [proof, setProof] = useState<Proof>()
  const [error, setError] = useState('')
  useEffect(() => {
    const load = () =>
      proofApi.get().then(
        (answer) => {
          setProof(answer)
          setError('')
          if (answer.isRecent) settle(true)
        },
        (problem: unknown) => setError(errorMessage(problem)),
      )
    void load()
    window.addEventListener('focus', load)
    return () => window.removeEventListener('focus', load)
  }, [settle])
  return { proof, error }
}

function ProofForm({ settle }: { settle(isProven: boolean): void }) {
  const { proof, error: loadError } = useProof(settle)
  const [wantsCode, setWantsCode] = useState(false)
  const [secret, setSecret] = useState('')
  const [checking, setChecking] = useState(false)
  const [error, setError] = useState('')
  const byCode = proof?.code === true && (wantsCode || !proof.password)
  const check = () => {
    setChecking(true)
    setError('')
    proofApi.give(byCode ? { code: secret } : { password: secret }).then(
      () => settle(true),
      (problem: unknown) => {
        setError(errorMessage(problem))
        setChecking(false)
      },
    )
  }
  const change = () => {
    setWantsCode(!wantsCode)
    setSecret('')
    setError('')
  }
  const canType = proof !== undefined && (proof.password || proof.code)
  return (
    <FormDialog title={t`Confirm it’s you`} says={t`This action needs a fresh sign-in.`} onClose={() => settle(false)} onSubmit={check}>
      {!proof && !loadError && <div role="status" aria-label={t`Loading`} className="skeleton mt-4 h-16" />}
      {canType && (
        <label className="mt-4 block text-[13.5px] font-medium">
          {byCode ? t`Code from your app, or a recovery code` : t`Password`}
          <input
            key={byCode ? 'code' : 'password'}
            autoFocus
            type={byCode ? 'text' : 'password'}
            autoComplete={byCode ? 'one-time-code' : 'current-password'}
            maxLength={1024}
            value={secret}
            onChange={(event) => setSecret(event.target.value)}
            className="field mt-1 font-normal"
          />
        </label>
      )}
      {proof && !canType && !proof.passkey && <NoWay />}
      {(error || loadError) && <ErrorLine text={error || loadError} />}
      {proof && <OtherWays proof={proof} byCode={byCode} onChange={change} />}
      <div className="mt-4 flex justify-end gap-2">
        <button type="button" className="btn" onClick={() => settle(false)}>
          <Trans>Cancel</Trans>
        </button>
        {canType && (
          <button type="submit" className="btn-primary" disabled={checking || secret === ''}>
            {checking ? t`Checking…` : t`Continue`}
          </button>
        )}
      </div>
    </FormDialog>
  )
}

function OtherWays({ proof, byCode, onChange }: { proof: Proof; byCode: boolean; onChange(): void }) {
  const isChoice = proof.password && proof.code
  if (!isChoice && !proof.passkey) return null
  return (
    <p className="mt-3 flex flex-wrap gap-x-4 gap-y-1 text-[13.5px]">
      {isChoice && (
        <button type="button" className="text-accent underline underline-offset-2" onClick={onChange}>
          {byCode ? t`Use your password` : t`Use a code`}
        </button>
      )}
      {proof.passkey && (
        <a className="text-accent underline underline-offset-2" href={PASSKEY_PAGE} target="_blank" rel="noreferrer">
          <Trans>Use a passkey (opens in a new tab)</Trans>
        </a>
      )}
    </p>
  )
}

function NoWay() {
  return (
    <p className="mt-4 text-[13.5px] text-fg2">
      <Trans>
        You have no password here.{' '}
        <a className="text-accent underline underline-offset-2" href={OTHER_PAGE} target="_blank" rel="noreferrer">
          Confirm where you signed in
        </a>{' '}
        (opens in a new tab), then come back here.
      </Trans>
    </p>
  )
}
