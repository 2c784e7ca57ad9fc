import { useId, useState } from 'react'
import { Trans, useLingui } from '@lingui/react/macro'
import { ExternalLink } from '../../markdown/ExternalLink'
import { PlainText } from '../../plainText/PlainText'
import { INITIAL_COUNT, type Source } from '../work/citedSources'

/** The cited pages below an answer. Nothing is loaded from them until the reader opens one. */
export function Sources({ sources }: { sources: readonly Source[] }) {
  const { t } = useLingui()
  const [all, setAll] = useState(false)
  const list = useId()
  const visibleSources = all ? sources : sources.slice(0, INITIAL_COUNT)
  const count = sources.length
  const folds = count > INITIAL_COUNT
  return (
    <section role="group" aria-label={t`Sources`} className="text-[13px]">
      <h3 className="text-[11.5px] font-semibold text-fg3"><Trans>Sources</Trans></h3>
      <ol id={list} className="mt-1">
        {visibleSources.map((source, index) => (
          <Line key={source.url} source={source} number={index + 1} />
        ))}
      </ol>
      {folds && (
        <button type="button" className="min-h-7 rounded-md text-[12.5px] text-fg3 hover:text-fg" aria-expanded={all} aria-controls={list} onClick={() => setAll(!all)}>
          {all ? <Trans>Show fewer</Trans> : <Trans>Show all {count}</Trans>}
        </button>
      )}
    </section>
  )
}

function Line({ source, number }: { source: Source; number: number }) {
  return (
    <li className="flex min-w-0">
      <ExternalLink href={source.url} className="group/source flex min-h-7 min-w-0 items-baseline gap-2 rounded-md">
        <span className="w-4 shrink-0 text-end tabular-nums text-fg3">{number}</span>
        <span className="max-w-[28ch] shrink-0 truncate font-medium group-hover/source:underline"><PlainText text={source.host} /></span>
        <span className="truncate text-fg3"><PlainText text={source.title} prose /></span>
      </ExternalLink>
    </li>
  )
}
