import { useLingui } from '@lingui/react/macro'

/** Suggested next messages. A click sends one. */
export function SuggestionChips({ items, onChoose }: { items: readonly string[]; onChoose(text: string): void }) {
  const { t } = useLingui()
  if (items.length === 0) return null
  return (
    <ul aria-label={t`Suggestions`} className="rise flex flex-wrap gap-2">
      {items.map((item) => (
        <li key={item} className="min-w-0">
          <button
            type="button"
            className="min-h-9 rounded-[18px] border border-line bg-raise px-3.5 py-1.5 text-start text-[13.5px] transition-colors [overflow-wrap:anywhere] [unicode-bidi:plaintext] hover:border-line2 hover:bg-hover pointer-coarse:min-h-11"
            onClick={() => onChoose(item)}
          >
            {item}
          </button>
        </li>
      ))}
    </ul>
  )
}
