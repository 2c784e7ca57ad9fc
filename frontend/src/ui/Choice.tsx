/** `isOff`: it can't be chosen, and `says` why. */
export type Option<T extends string> = { readonly value: T; readonly label: string; readonly says: string; readonly isOff?: boolean }
type Props<T extends string> = { legend: string; name: string; value: T; options: readonly Option<T>[]; onChange(value: T): void }

/** One of a few, each with a line that says what it means. */
export function Choice<T extends string>({ legend, name, value, options, onChange }: Props<T>) {
  return (
    <fieldset className="mt-4">
      <legend className="text-[13px] font-medium text-fg2">{legend}</legend>
      <div className="mt-1.5 overflow-hidden rounded-xl border border-line">
        {options.map((option) => (
          <label key={option.value} className="flex cursor-pointer items-center gap-3 border-b border-line px-3.5 py-2.5 last:border-b-0 has-checked:bg-soft has-disabled:cursor-not-allowed has-focus-visible:outline-2 has-focus-visible:-outline-offset-2 has-focus-visible:outline-accent">
            <input type="radio" name={name} checked={value === option.value} disabled={option.isOff} onChange={() => onChange(option.value)} className="size-4 shrink-0 accent-accent outline-none" />
            <span>
              <span className={`block text-[13.5px] font-medium ${option.isOff ? 'text-fg3' : ''}`}>{option.label}</span>
              <span className="block text-[12.5px] text-fg2">{option.says}</span>
            </span>
          </label>
        ))}
      </div>
    </fieldset>
  )
}
