import { t } from '@lingui/core/macro'
import { Trans } from '@lingui/react/macro'
import { CopyButton } from '../ui/CopyButton'
import type { CreatedToken } from '../api/generated'

/** The text of a new token. It is shown only once. */
export function NewTokenNotice({ token }: { token: CreatedToken }) {
  const bases = [
    [t`For OpenAI clients`, `${location.origin}/v1`],
    [t`For AI SDK clients`, `${location.origin}/api/chat`],
  ] as const
  return (
    <section aria-label={t`The new token ${token.name}`} className="my-4 rounded-xl border border-line2 bg-bg p-3.5">
      <p role="status" className="text-[13.5px]">
        <Trans>Copy <span className="font-medium">{token.name}</span> now. It is not shown again.</Trans>
      </p>
      <div className="mt-2 flex items-center gap-2">
        <code className="min-w-0 flex-1 rounded-lg bg-hover px-2.5 py-1.5 text-[12.5px] [overflow-wrap:anywhere]">{token.token}</code>
        <CopyButton text={token.token} what="token" />
      </div>
      {token.scopes.includes('chat') && (
        <dl className="mt-3 grid gap-1 text-[12.5px]">
          {bases.map(([who, url]) => (
            <div key={who} className="flex flex-wrap gap-x-2">
              <dt className="text-fg3">{who}</dt>
              <dd className="font-mono [overflow-wrap:anywhere]">{url}</dd>
            </div>
          ))}
        </dl>
      )}
    </section>
  )
}
