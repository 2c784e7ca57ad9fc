import { memo, Suspense, useState } from 'react'
import { Trans, useLingui } from '@lingui/react/macro'
import { CodeXml } from 'lucide-react'
import { CopyButton } from '../ui/CopyButton'
import { lazyWithRetry } from '../ui/lazyComponent'
import { grammarOf, type Span } from './grammars'
import { useHighlight } from './useHighlight'

const Line = memo(function Line({ text, spans }: { text: string; spans: readonly Span[] | undefined }) {
  return (
    <>
      {spans ? spans.map((span, index) => (span.kind ? <span key={index} className={`tk-${span.kind}`}>{span.text}</span> : span.text)) : text}
      {'\n'}
    </>
  )
})

/** Highlighting lags behind typing, so a line uses it only while the text is still the same. */
const stillFits = (spans: readonly Span[] | undefined, text: string): boolean =>
  spans !== undefined && spans.reduce((length, span) => length + span.text.length, 0) === text.length

const DiagramFigure = lazyWithRetry(() => import('../artifacts/mermaid/DiagramFigure'))

type Props = {
  text: string
  info: string | undefined
  /** Whether the closing fence has arrived. A diagram is drawn only then. */
  closed?: boolean
}

export function CodeBlock({ text, info, closed = false }: Props) {
  const name = info?.trim().split(/\s/)[0] || 'text'
  const [wantsCode, setWantsCode] = useState(false)
  const isDiagram = name === 'mermaid' && closed
  const source = <Source text={text} info={info} name={name} />
  return (
    <figure className="code">
      <figcaption>
        <span>{name}</span>
        <span className="flex">
          {isDiagram && (
            <button type="button" className="ghost" aria-pressed={wantsCode} onClick={() => setWantsCode(!wantsCode)}>
              <CodeXml className="size-3.5" aria-hidden />
              <Trans>Code</Trans>
            </button>
          )}
          <CopyButton text={text} what="code" word />
        </span>
      </figcaption>
      {isDiagram && !wantsCode ? (
        <Suspense fallback={<div className="min-h-40" />}>
          <DiagramFigure code={text} source={source} />
        </Suspense>
      ) : (
        source
      )}
    </figure>
  )
}

function Source({ text, info, name }: { text: string; info: string | undefined; name: string }) {
  const { t } = useLingui()
  const colours = useHighlight(text, grammarOf(info))
  return (
    <pre tabIndex={0} role="group" aria-label={t`Code, ${name}`}>
      <code>
        {text.split('\n').map((line, index) => (
          <Line key={index} text={line} spans={stillFits(colours[index], line) ? colours[index] : undefined} />
        ))}
      </code>
    </pre>
  )
}
