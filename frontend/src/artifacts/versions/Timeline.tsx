import { useCallback, useState, type RefObject } from 'react'
import { useLingui } from '@lingui/react/macro'
import { History } from 'lucide-react'
import { Popover } from 'radix-ui'
import { VList, type VListHandle } from 'virtua'
import type { VersionItem } from '../../api/generated'
import { changeLabel, changeSizeLabel, dateLabel } from './labels'

type Props = { versions: readonly VersionItem[]; currentNumber: number | null; trigger: RefObject<HTMLButtonElement | null>; onChoose(number: number): void }

const ROW_PX = 62
const MAX_ROWS = 6

/** All versions, newest first, each with its author, time and operation. */
export function Timeline({ versions, currentNumber, trigger, onChoose }: Props) {
  const { t } = useLingui()
  const [open, setOpen] = useState(false)
  const current = versions.length - 1 - versions.findIndex(({ number }) => number === currentNumber)
  const showCurrent = useCallback((list: VListHandle | null) => list?.scrollToIndex(current < versions.length ? current : 0, { align: 'nearest' }), [current, versions.length])
  const choose = (number: number) => {
    setOpen(false)
    onChoose(number)
  }
  return (
    <Popover.Root open={open} onOpenChange={setOpen}>
      <Popover.Trigger ref={trigger} className="icon" aria-label={t`All versions`} title={t`All versions`}>
        <History className="size-4" aria-hidden />
      </Popover.Trigger>
      <Popover.Portal>
        <Popover.Content side="top" align="start" sideOffset={6} aria-label={t`All versions`} className="menu rise w-88 max-w-[92vw]">
          <VList ref={showCurrent} style={{ height: Math.min(versions.length, MAX_ROWS) * ROW_PX }}>
            {versions.toReversed().map((version) => (
              <Row key={version.number} version={version} current={version.number === currentNumber} onChoose={() => choose(version.number)} />
            ))}
          </VList>
        </Popover.Content>
      </Popover.Portal>
    </Popover.Root>
  )
}

function Row({ version, current, onChoose }: { version: VersionItem; current: boolean; onChoose(): void }) {
  return (
    <button
      type="button"
      aria-current={current ? 'true' : undefined}
      onClick={onChoose}
      className="flex min-h-[62px] w-full items-center gap-3 rounded-lg px-2.5 py-1.5 text-start text-[13px] outline-offset-[-2px] hover:bg-hover aria-[current]:bg-soft"
    >
      <span className="w-8 shrink-0 text-end font-medium tabular-nums text-fg2">{version.number}</span>
      <span className="min-w-0 flex-1">
        <span className="block truncate">
          {changeLabel(version)}
        </span>
        <span className="block truncate text-[12px] text-fg3">
          {dateLabel(version)}
        </span>
      </span>
      <span className="shrink-0 text-[12px] tabular-nums text-fg3">{changeSizeLabel(version)}</span>
    </button>
  )
}
