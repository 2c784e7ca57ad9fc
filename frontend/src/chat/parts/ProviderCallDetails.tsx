import type { DynamicToolUIPart } from 'ai'
import { CodeBlock } from '../../markdown/CodeBlock'
import { ExternalLink } from '../../markdown/ExternalLink'
import { providerCallOf, type Page } from './providerCall'
import { Value } from './Value'

/** Everything that the provider searched, read or ran. */
export function ProviderCallDetails({ part }: { part: DynamicToolUIPart }) {
  const { queries, pages, code, output } = providerCallOf(part)
  return (
    <>
      {queries.length > 0 && <Value label="Searched for" value={queries.join('\n')} />}
      {pages.length > 0 && <Pages pages={pages} />}
      {code && <CodeBlock text={code.text} info={code.language} />}
      {output !== undefined && <Value label={part.state === 'output-error' ? 'Error' : 'Output'} value={output} />}
    </>
  )
}

function Pages({ pages }: { pages: readonly Page[] }) {
  return (
    <div>
      <h3 className="text-[11.5px] font-semibold text-fg3">Pages</h3>
      <ul className="mt-0.5 text-[12.5px]">
        {pages.map((page) => (
          <li key={page.url} className="flex min-h-6 min-w-0 items-baseline gap-2">
            <ExternalLink href={page.url} className="min-w-0 truncate text-fg2 hover:underline">
              {page.url}
            </ExternalLink>
            {page.status && page.status !== 'success' && <span className="shrink-0 text-bad">{STATUS[page.status] ?? page.status}</span>}
          </li>
        ))}
      </ul>
    </div>
  )
}

const STATUS: Record<string, string> = { error: 'could not be read', paywall: 'behind a paywall', unsafe: 'not safe' }
