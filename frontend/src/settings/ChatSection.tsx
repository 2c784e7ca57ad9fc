import { t } from '@lingui/core/macro'
import { Trans } from '@lingui/react/macro'
import { boot } from '../api/boot'
import { useAssistants } from '../assistants/assistants'
import { useDefaultAssistant } from '../assistants/defaultAssistant'
import { preferDefaultModel, preferThinking, usePreferences } from '../chat/composer/modelPreferences'
import { chooseSendKey, useSendKey } from '../chat/composer/sendKey'
import { shortcutKey } from '../navigation/shortcuts'
import { visibleText } from '../plainText/segments'
import { choose } from '../preferences/choices'
import { SettingRow } from '../ui/SettingRow'
import { SwitchRow } from '../ui/SwitchRow'

const isModelThere = (id: string | null): boolean => boot.models.some((model) => model.id === id)

/** How new chats begin, and how messages are sent. */
export function ChatSection() {
  const { defaultModelId, thinking } = usePreferences()
  return (
    <>
      <AssistantRow />
      <SettingRow title={t`Model for new chats`} says={t`You can choose another one in each chat.`}>
        <select
          aria-label={t`Model for new chats`}
          value={isModelThere(defaultModelId) ? (defaultModelId ?? '') : ''}
          onChange={(event) => preferDefaultModel(event.target.value || null)}
          className="field w-60 max-w-full"
        >
          <option value=""><Trans>The one used last</Trans></option>
          {boot.models.map((model) => (
            <option key={model.id} value={model.id}>
              {model.name}
            </option>
          ))}
        </select>
      </SettingRow>
      <SwitchRow title={t`Thinking`} says={t`Slower, better at hard questions. Used with models that support it.`} isOn={thinking} onFlip={() => preferThinking(!thinking)} />
      <SendWith />
    </>
  )
}

function AssistantRow() {
  const assistants = useAssistants()
  const assistant = useDefaultAssistant()
  if (assistants.length === 0) return null
  return (
    <SettingRow title={t`Assistant for new chats`} says={t`You can choose another one in each chat.`}>
      <select aria-label={t`Assistant for new chats`} value={assistant} onChange={(event) => choose({ defaultAssistant: event.target.value })} className="field w-60 max-w-full">
        <option value="">Parley</option>
        {assistants.map(({ key, name }) => (
          <option key={key} value={key}>
            {visibleText(name)}
          </option>
        ))}
      </select>
    </SettingRow>
  )
}

function SendWith() {
  const key = useSendKey()
  const choices = [
    { value: 'enter', label: t`Enter` },
    { value: 'ctrl-enter', label: shortcutKey(t`Enter`) },
  ] as const
  return (
    <SettingRow title={t`Send with`} says={t`The other one starts a new line.`}>
      <div role="group" aria-label={t`Send with`} className="flex rounded-lg bg-hover p-0.5">
        {choices.map(({ value, label }) => (
          <button key={value} type="button" aria-pressed={key === value} onClick={() => chooseSendKey(value)} className="min-h-7 rounded-md px-3 text-[13px] font-medium text-fg2 aria-pressed:bg-raise dark:aria-pressed:bg-line2 aria-pressed:text-fg aria-pressed:shadow-sm pointer-coarse:min-h-11">
            {label}
          </button>
        ))}
      </div>
    </SettingRow>
  )
}
