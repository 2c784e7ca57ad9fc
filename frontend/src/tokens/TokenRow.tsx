import { useState } from 'react'
import { t } from '@lingui/core/macro'
import { Trans } from '@lingui/react/macro'
import { errorMessage } from '../api/client'
import { visibleText } from '../plainText/segments'
import { QuestionDialog } from '../ui/QuestionDialog'
import { isExpired, tokenStatus } from './labels'
import type { CreatedToken, Token } from '../api/generated'
import { tokensApi } from './tokensApi'

/** `focusAfter` moves the focus when the token is gone. */
type Props = { token: Token; onReplaced(replacement: CreatedToken): void; onRevoked(): void; focusAfter(): void }

/** A token. Revoking it asks for confirmation, because clients that use it stop working. */
export function TokenRow({ token, onReplaced, onRevoked, focusAfter }: Props) {
  const [asking, setAsking] = useState(false)
  const [error, setError] = useState('')
  const revoke = () => tokensApi.revoke(token.id).then(onRevoked, (problem: unknown) => setError(errorMessage(problem)))
  const replace = () => tokensApi.rotate(token.id).then(onReplaced, (problem: unknown) => setError(errorMessage(problem)))
  return (
    <li className="border-b border-line py-3.5 last:border-b-0">
      <div className="flex items-start gap-3">
        <div className="min-w-0 flex-1">
          <h3 className="text-[14px] font-semibold [overflow-wrap:anywhere]">
            {token.name} <span className="font-mono text-[12.5px] font-normal text-fg3">…{token.lastFour}</span>
          </h3>
          <p className={`mt-0.5 text-[13px] ${isExpired(token) ? 'text-warn' : 'text-fg2'}`}>{tokenStatus(token)}</p>
        </div>
        <button type="button" className="btn" title={t`Makes a new token like this one. The old one works for a day more.`} onClick={() => void replace()}>
          <Trans>Replace<span className="sr-only"> {token.name}</span></Trans>
        </button>
        <button type="button" className="btn" onClick={() => setAsking(true)}>
          <Trans>Revoke<span className="sr-only"> {token.name}</span></Trans>
        </button>
      </div>
      {asking && (
        <QuestionDialog
          title={t`Revoke ${visibleText(token.name)}?`}
          says={t`Anything using it stops working immediately.`}
          action={t`Revoke`}
          onAct={revoke}
          onClose={() => setAsking(false)}
          focusAfter={focusAfter}
        />
      )}
      {error && (
        <p role="alert" className="mt-2 rounded-lg bg-bad-soft px-3 py-2 text-[13.5px] text-bad">
          {error}
        </p>
      )}
    </li>
  )
}
