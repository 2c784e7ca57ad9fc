import { t } from '@lingui/core/macro'
import { CircleAlert, X } from 'lucide-react'
import { visibleText } from '../plainText/segments'
import { AssistantPicture } from './AssistantPicture'
import type { ChosenAssistant } from './chosenAssistant'

/** Who answers, in the composer. Without a name the assistant is not available any more. */
export function AssistantChip({ choice, onClear }: { choice: ChosenAssistant; onClear(): void }) {
  const { item } = choice
  const name = item ? visibleText(item.name) : t`Assistant not available`
  return (
    <span className={`flex h-8 min-w-0 items-center pointer-coarse:h-9 gap-1.5 rounded-full ps-1.5 text-[13px] font-medium ${item ? 'bg-soft text-accent' : 'bg-warn-soft text-warn'}`}>
      {item ? <AssistantPicture name={item.name} url={item.pictureUrl} size="small" /> : <CircleAlert className="ms-1 size-4 shrink-0" aria-hidden />}
      <span className="truncate">{name}</span>
      <button type="button" className="grid h-full w-7 shrink-0 place-items-center rounded-full hover:bg-hover pointer-coarse:w-9" aria-label={item ? t`Chat without ${name}` : t`Continue with Parley`} title={item ? t`Chat without ${name}` : t`Continue with Parley`} onClick={onClear}>
        <X className="size-3.5" aria-hidden />
      </button>
    </span>
  )
}
