import { PlainText } from '../../plainText/PlainText'
import { formatValue } from './format'

/** A whole value as text, never as markup. A long one scrolls. */
export function Value({ label, value }: { label: string; value: unknown }) {
  return (
    <div>
      <h3 className="text-[11.5px] font-semibold text-fg3">{label}</h3>
      <pre className="mt-0.5 max-h-44 overflow-auto whitespace-pre-wrap font-mono text-[12px] leading-[1.55] text-fg2 [overflow-wrap:anywhere]" tabIndex={0} aria-label={label}>
        <PlainText text={formatValue(value)} lines />
      </pre>
    </div>
  )
}
