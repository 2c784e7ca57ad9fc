// The user's API tokens for clients outside the browser.
import { useEffect, useRef, useState } from 'react'
import { t } from '@lingui/core/macro'
import { Trans } from '@lingui/react/macro'
import { boot } from '../api/boot'
import { errorMessage } from '../api/client'
import { NewTokenNotice } from './NewTokenNotice'
import { TokenForm } from './TokenForm'
import { TokenRow } from './TokenRow'
import type { CreatedToken, Token } from '../api/generated'
import { tokensApi } from './tokensApi'

/** The user's API tokens. The text of a new one is only in the state of this section, until it closes. */
export function TokensSection() {
  const { origin } = window.location
  return (
    <>
      <p className="text-[14px] text-fg2"><Trans>For programs that act for you in {boot.organization.name}, with your role there and no more than you allow them.</Trans></p>
      <p className="mt-2 text-[14px] text-fg2">
        <Trans>
          OpenAI clients use the address <code className="select-all font-mono text-[13px] text-fg">{origin}/v1</code>, MCP clients{' '}
          <code className="select-all font-mono text-[13px] text-fg">{origin}/mcp</code>.
        </Trans>
      </p>
      <Tokens />
    </>
  )
}

/** The list from the server; undefined while it loads. */
function useTokens() {
  const [tokens, setTokens] = useState<readonly Token[]>()
  const [maxDays, setMaxDays] = useState<number | null>(null)
  const [error, setError] = useState('')
  const load = () => {
    setError('')
    tokensApi.list().then(
      (list) => {
        setTokens(list.tokens)
        setMaxDays(list.maxDays)
      },
      (problem: unknown) => setError(errorMessage(problem)),
    )
  }
  useEffect(load, [])
  return { tokens, maxDays, error, load }
}

function Tokens() {
  const { tokens, maxDays, error, load } = useTokens()
  const [isFormOpen, setFormOpen] = useState(false)
  const [created, setCreated] = useState<CreatedToken>()
  const newToken = useRef<HTMLButtonElement>(null)
  if (!tokens && !error) return <div role="status" aria-label={t`Loading your tokens`} className="skeleton mt-4 h-32" />
  const handleCreated = (token: CreatedToken) => {
    setCreated(token)
    setFormOpen(false)
    load()
  }
  return (
    <div className="mt-2">
      {error && <LoadError text={error} onRetry={load} />}
      {created && <NewTokenNotice token={created} />}
      {isFormOpen ? (
        <TokenForm maxDays={maxDays} onCreated={handleCreated} onCancel={() => setFormOpen(false)} />
      ) : (
        <button ref={newToken} type="button" className="btn-primary my-4" onClick={() => setFormOpen(true)}>
          <Trans>New token</Trans>
        </button>
      )}
      {tokens?.length === 0 && !isFormOpen && !created && <p className="pb-4 text-[14px] text-fg2"><Trans>You have no tokens yet.</Trans></p>}
      <ul>
        {tokens?.map((token) => (
          <TokenRow
            key={token.id}
            token={token}
            onReplaced={handleCreated}
            onRevoked={() => {
              if (created?.id === token.id) setCreated(undefined)
              load()
            }}
            focusAfter={() => newToken.current?.focus()}
          />
        ))}
      </ul>
    </div>
  )
}

function LoadError({ text, onRetry }: { text: string; onRetry(): void }) {
  return (
    <div role="alert" className="alert-bad my-4">
      <p className="min-w-0 flex-1">{text}</p>
      <button type="button" className="btn" onClick={onRetry}>
        <Trans>Try again</Trans>
      </button>
    </div>
  )
}
