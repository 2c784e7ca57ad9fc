import { plural } from '@lingui/core/macro'
import { countCharacters } from '../plainText/characters'

/** How many characters of the text are too many. */
export const charactersOver = (text: string, limit: number): number => Math.max(0, countCharacters(text) - limit)

/** Says so below the field, which keeps all of the text. */
export function TooLong({ id, over }: { id: string; over: number }) {
  return (
    <p id={id} role="status" className="mt-1 text-[12px] font-medium text-bad empty:hidden">
      {over > 0 && plural(over, { one: '# character too many', other: '# characters too many' })}
    </p>
  )
}
