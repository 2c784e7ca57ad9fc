import { memo } from 'react'
import { CopyButton } from '../ui/CopyButton'
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

/** Colours lag behind typing: a line keeps them only while their text is still its text. */
const stillFits = (spans: readonly Span[] | undefined, text: string): boolean =>
  spans !== undefined && spans.reduce((length, span) => length + span.text.length, 0) === text.length

export function CodeBlock({ text, info }: { text: string; info: string | undefined }) {
  const name = info?.trim().split(/\s/)[0] || 'text'
  const colours = useHighlight(text, grammarOf(info))
  return (
    <figure className="code">
      <figcaption>
        <span>{name}</span>
        <CopyButton text={text} what="code" word />
      </figcaption>
      <pre tabIndex={0} role="region" aria-label={`Code, ${name}`}>
        <code>
          {text.split('\n').map((line, index) => (
            <Line key={index} text={line} spans={stillFits(colours[index], line) ? colours[index] : undefined} />
          ))}
        </code>
      </pre>
    </figure>
  )
}
