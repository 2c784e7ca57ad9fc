// Who should help: the cards on the page of a new chat. Loaded only where there are assistants.
import { useMemo, useState } from 'react'
import { t } from '@lingui/core/macro'
import { Trans } from '@lingui/react/macro'
import { Check, ChevronDown } from 'lucide-react'
import { RadioGroup } from 'radix-ui'
import type { AssistantItem } from '../api/generated'
import { visibleText } from '../plainText/segments'
import { byUse } from './assistants'
import { AssistantPicture, OwnPicture } from './AssistantPicture'

/** How many are shown at first, with the chat agent: of more, the most used ones. */
const FEW = 6

type Props = { assistants: readonly AssistantItem[]; choice: string; onChoose(key: string): void }

export default function AssistantCards({ assistants, choice, onChoose }: Props) {
  const [all, setAll] = useState(false)
  const ranked = useMemo(() => byUse(assistants), [assistants])
  const first = (assistants.length < FEW ? assistants : ranked).slice(0, FEW - 1)
  const hidden = !all && !first.some(({ key }) => key === choice) ? assistants.find(({ key }) => key === choice) : undefined
  const cards = all ? assistants : hidden ? [...first.slice(0, -1), hidden] : first
  return (
    <section aria-labelledby="who-helps" className="mx-auto w-full max-w-[57rem] px-4 pt-5">
      <div className="flex min-h-8 items-center gap-2 px-0.5 pb-1.5">
        <h3 id="who-helps" className="flex-1 text-[12.5px] font-semibold text-fg3">
          <Trans>Who should help?</Trans>
        </h3>
        {assistants.length >= FEW && (
          <button type="button" className="ghost -me-2" aria-expanded={all} onClick={() => setAll(!all)}>
            {all ? t`Show fewer` : t`All ${assistants.length + 1} assistants`}
            <ChevronDown className={`size-3.5 ${all ? 'rotate-180' : ''}`} aria-hidden />
          </button>
        )}
      </div>
      <RadioGroup.Root value={choice} onValueChange={onChoose} aria-labelledby="who-helps" className="assistant-cards">
        <Card value="" name="Parley" description={t`Good at most things`} picture={<OwnPicture />} />
        {cards.map(({ key, name, description, pictureUrl }) => (
          <Card key={key} value={key} name={name} description={description} picture={<AssistantPicture name={name} url={pictureUrl} size="large" />} />
        ))}
      </RadioGroup.Root>
    </section>
  )
}

function Card({ value, name, description, picture }: { value: string; name: string; description: string; picture: React.ReactNode }) {
  return (
    <RadioGroup.Item value={value} className="assistant-card" title={visibleText(description)}>
      {picture}
      <span className="min-w-0 flex-1">
        <span className="block truncate text-[14px] font-semibold leading-[1.35]">{visibleText(name)}</span>
        <span className="block truncate text-[12.5px] leading-[1.4] text-fg2">{visibleText(description)}</span>
      </span>
      <RadioGroup.Indicator>
        <Check className="size-4 text-accent" strokeWidth={2.2} aria-hidden />
      </RadioGroup.Indicator>
    </RadioGroup.Item>
  )
}
