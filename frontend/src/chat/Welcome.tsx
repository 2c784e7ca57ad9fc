import { Suspense } from 'react'
import type { MessageDescriptor } from '@lingui/core'
import { msg } from '@lingui/core/macro'
import { Trans, useLingui } from '@lingui/react/macro'
import { boot } from '../api/boot'
import type { PageStarter } from '../api/generated'
import { useAssistants } from '../assistants/assistants'
import type { ChosenAssistant } from '../assistants/chosenAssistant'
import { visibleText } from '../plainText/segments'
import { Mark } from '../ui/Brand'
import { lazyWithRetry } from '../ui/lazyComponent'
import { STARTER_WORDS } from './starters'
import { StarterPicture } from './StarterPicture'

const loadCards = () => import('../assistants/AssistantCards')
if (boot.assistants.length > 0) void loadCards() // beside the rest of the page, so that nothing moves when it comes
const AssistantCards = lazyWithRetry(loadCards)

function greeting(hour: number): MessageDescriptor {
  if (hour < 5) return msg`Good evening` // “Good night” takes leave
  if (hour < 12) return msg`Good morning`
  return hour < 18 ? msg`Good afternoon` : msg`Good evening`
}

export function Greeting() {
  const { i18n } = useLingui()
  const name = boot.user.name.split(/\s+/)[0] ?? ''
  return (
    <div className="column max-w-[57rem] rise flex items-center gap-4 pb-5">
      <Mark className="size-9.5 shrink-0 max-sm:size-8" />
      <div className="min-w-0">
        <h2 className="text-[28px] font-[680] leading-tight tracking-[-0.026em] max-sm:text-[22px]">
          {i18n._(greeting(new Date().getHours()))}
          {name && `, ${name}`}
        </h2>
      </div>
    </div>
  )
}

type StartersProps = { assistant: ChosenAssistant | null; onChoose(text: string): void; onChooseAssistant(key: string): void }

/** Who should help, and ways to begin with them. A click on a starter sends it. Both come at once: the starters would move when the cards come. */
export function Starters({ assistant, onChoose, onChooseAssistant }: StartersProps) {
  const { t } = useLingui()
  const assistants = useAssistants()
  const item = assistant?.item
  const asked = item ? visibleText(item.name) : 'Parley'
  return (
    <div className="min-h-0 flex-[1_1_50%] overflow-y-auto">
      <Suspense>
        {assistants.length > 0 && <AssistantCards assistants={assistants} choice={item?.key ?? ''} onChoose={onChooseAssistant} />}
        {assistants.length > 0 && (!item || item.starters.length > 0) && (
          <p className="mx-auto w-full max-w-[57rem] px-4.5 pt-5 text-[12.5px] font-semibold text-fg3">
            <Trans>Try one of these with {asked}</Trans>
          </p>
        )}
        <ul aria-label={t`Starters`} className="mx-auto grid w-full max-w-[57rem] grid-cols-4 gap-2.5 px-4 pb-4 pt-3 max-[1100px]:grid-cols-2">
          {item
            ? item.starters.map((starter) => (
                <li key={starter.title}>
                  <button type="button" className="starter px-3.5 py-3" onClick={() => onChoose(starter.text)}>
                    <span className="text-[14px] font-semibold">{visibleText(starter.title)}</span>
                    <span className="mt-0.5 line-clamp-3 text-[12.5px] leading-[1.45] text-fg2">{visibleText(starter.text)}</span>
                  </button>
                </li>
              ))
            : boot.starters.map((starter) => (
                <li key={starter.picture}>
                  <StarterCard starter={starter} onChoose={onChoose} />
                </li>
              ))}
        </ul>
      </Suspense>
    </div>
  )
}

/** The demo's answers are scripted in English, so it is asked in English. */
function StarterCard({ starter, onChoose }: { starter: PageStarter; onChoose(text: string): void }) {
  const { t } = useLingui()
  const words = STARTER_WORDS[starter.picture]
  const text = boot.provider?.isDemo ? starter.text : t(words.text)
  return (
    <button type="button" className="starter" title={text} onClick={() => onChoose(text)}>
      <StarterPicture name={starter.picture} />
      <span className="block px-3.5 py-3">
        <span className="block text-[14px] font-semibold">{t(words.title)}</span>
        <span className="mt-0.5 block text-[12.5px] leading-[1.45] text-fg2">{t(words.hint)}</span>
      </span>
    </button>
  )
}
