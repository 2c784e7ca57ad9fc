import { useRef } from 'react'
import { Trans, useLingui } from '@lingui/react/macro'
import { Check, ChevronDown, KeyRound } from 'lucide-react'
import { DropdownMenu } from 'radix-ui'
import { boot } from '../../api/boot'
import type { ModelChoice } from '../../api/generated'
import { useMissingKeys } from '../../keys/useMissingKeys'
import { openSettings } from '../../settings/address'

export function ModelMenu({ model, onChoose }: { model: ModelChoice; onChoose(id: string): void }) {
  const { t } = useLingui()
  const { name } = model
  const { missing, load } = useMissingKeys()
  const trigger = useRef<HTMLButtonElement>(null)
  return (
    <DropdownMenu.Root modal={false} onOpenChange={(open) => open && load()}>
      <DropdownMenu.Trigger ref={trigger} className="ghost min-w-11 justify-center" aria-label={t`Model: ${name}`}>
        <span className="truncate">{name}</span>
        <ChevronDown className="size-3.5 shrink-0" aria-hidden />
      </DropdownMenu.Trigger>
      <DropdownMenu.Portal>
        <DropdownMenu.Content className="menu rise max-h-[60vh] overflow-y-auto" side="top" align="end" sideOffset={8}>
          <DropdownMenu.RadioGroup value={model.id} onValueChange={onChoose} aria-label={t`Model`}>
            {byProvider(boot.models).map(([label, choices], _, groups) => (
              <DropdownMenu.Group key={label} aria-label={label}>
                {groups.length > 1 && <DropdownMenu.Label className="px-2.5 pb-1 pt-2 text-[12px] text-fg3">{label}</DropdownMenu.Label>}
                {choices.map((choice) => (
                  <ModelItem key={choice.id} choice={choice} />
                ))}
                {choices[0] && missing.has(choices[0].provider) && (
                  <DropdownMenu.Item className="menu-item" onSelect={() => openSettings('keys', trigger.current)}>
                    <KeyRound className="size-4 text-fg3" aria-hidden />
                    <Trans>Enter your key</Trans>
                  </DropdownMenu.Item>
                )}
              </DropdownMenu.Group>
            ))}
          </DropdownMenu.RadioGroup>
        </DropdownMenu.Content>
      </DropdownMenu.Portal>
    </DropdownMenu.Root>
  )
}

/** The models grouped by provider, in their order. */
function byProvider(models: readonly ModelChoice[]): [string, ModelChoice[]][] {
  const groups = new Map<string, ModelChoice[]>()
  for (const model of models) groups.set(model.providerLabel, [...(groups.get(model.providerLabel) ?? []), model])
  return [...groups]
}

function ModelItem({ choice }: { choice: ModelChoice }) {
  return (
    <DropdownMenu.RadioItem value={choice.id} className="menu-item min-w-64">
      <span className="flex-1">
        <span className="block font-medium">{choice.name}</span>
        <span className="block text-[12px] text-fg3">{choice.supportsThinking ? <Trans>Supports thinking</Trans> : <Trans>Fast, no thinking</Trans>}</span>
      </span>
      <DropdownMenu.ItemIndicator>
        <Check className="size-4 text-accent" aria-hidden />
      </DropdownMenu.ItemIndicator>
    </DropdownMenu.RadioItem>
  )
}
