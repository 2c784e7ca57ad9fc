import { visibleText } from '../plainText/segments'
import { useAssistants } from './assistants'
import { AssistantPicture } from './AssistantPicture'

/** Who gave an answer, above it: by the name that the assistant had then. */
export function AnsweredBy({ assistant: { key, name } }: { assistant: { readonly key: string; readonly name: string } }) {
  const entry = useAssistants().find((each) => each.key === key)
  return (
    <p className="flex items-center gap-2 pb-2 text-[13px] font-semibold">
      <AssistantPicture name={name} url={entry?.pictureUrl ?? null} size="small" />
      <span>{visibleText(name)}</span>
    </p>
  )
}
