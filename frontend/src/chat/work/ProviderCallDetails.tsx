import type { DynamicToolUIPart } from 'ai'
import { i18n, type MessageDescriptor } from '@lingui/core'
import { msg } from '@lingui/core/macro'
import { Trans, useLingui } from '@lingui/react/macro'
import { CodeBlock } from '../../markdown/CodeBlock'
import { ExternalLink } from '../../markdown/ExternalLink'
import { providerCallOf, type Page } from './providerCall'
import { Value } from './Value'

/** Everything that the provider searched, read or ran. */
export function ProviderCallDetails({ part }: { part: DynamicToolUIPart }) {
  const { t } = useLingui()
  const { queries, pages, code, output } = providerCallOf(part)
  return (
    <>
      {queries.length > 0 && <Value label={t`Searched for`} value={queries.join('\n')} />}
      {pages.length > 0 && <Pages pages={pages} />}
      {code && <CodeBlock text={code.text} info={code.language} />}
      {output !== undefined && <Value label={part.state === 'output-error' ? t`Error` : t`Output`} value={output} />}
    </>
  )
}

function Pages({ pages }: { pages: readonly Page[] }) {
  return (
    <div>
      <h3 className="text-[11.5px] font-semibold text-fg3"><Trans>Pages</Trans></h3>
      <ul className="mt-0.5 text-[12.5px]">
        {pages.map((page) => (
          <li key={page.url} className="flex min-h-6 min-w-0 items-baseline gap-2">
            <ExternalLink href={page.url} className="min-w-0 truncate text-fg2 hover:underline">
              {page.url}
            </ExternalLink>
            {page.status && page.status !== 'success' && <span className="shrink-0 text-bad">{statusText(page.status)}</span>}
          </li>
        ))}
      </ul>
    </div>
  )
}

const STATUS: Record<string, MessageDescriptor> = { error: msg`could not be read`, paywall: msg`behind a paywall`, unsafe: msg`not safe` }

/** A status that this page does not know is shown as the provider says it. */
function statusText(status: string): string {
  const label = STATUS[status]
  return label ? i18n._(label) : status
}
