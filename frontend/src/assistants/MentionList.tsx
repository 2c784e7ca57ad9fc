// The list above the message box that @ opens. Loaded when it is first needed.
import { t } from '@lingui/core/macro'
import { Trans } from '@lingui/react/macro'
import { visibleText } from '../plainText/segments'
import { AssistantPicture, OwnPicture } from './AssistantPicture'
import { MENTION_LIST, mentionOptionId, type Mention, type Mentions } from './useMentions'

export default function MentionList({ mentions, below }: { mentions: Mentions; below: boolean }) {
  return (
    <div className={`rise absolute start-0 z-30 w-full max-w-100 overflow-hidden rounded-xl border border-line bg-raise shadow-pop ${below ? 'top-full mt-2' : 'bottom-full mb-2'}`} onMouseDown={(event) => event.preventDefault()}>
      <div id={MENTION_LIST} role="listbox" aria-label={t`Assistants`} className="max-h-[45vh] overflow-y-auto p-1">
        {mentions.matches?.map((mention, index) => (
          <Option key={mention.key} mention={mention} isActive={index === mentions.active} onChoose={() => mentions.choose(mention)} />
        ))}
      </div>
    </div>
  )
}

function Option({ mention, isActive, onChoose }: { mention: Mention; isActive: boolean; onChoose(): void }) {
  const { key, name, description, pictureUrl } = mention
  return (
    <div id={mentionOptionId(mention)} role="option" aria-selected={isActive} className={`flex cursor-pointer items-center gap-3 rounded-lg px-2.5 py-1.5 pointer-coarse:min-h-11 ${isActive ? 'bg-hover' : ''}`} onClick={onChoose}>
      {key ? <AssistantPicture name={name} url={pictureUrl} size="large" /> : <OwnPicture />}
      <span className="min-w-0 flex-1">
        <span className="block truncate text-[13px] font-medium">{visibleText(name)}</span>
        <span className="block truncate text-[12px] text-fg2">{visibleText(description)}</span>
      </span>
      {isActive && <kbd className="kbd pointer-coarse:hidden"><Trans>Enter</Trans></kbd>}
    </div>
  )
}
