// What stands above the threads, and stays while they scroll: how many are open, and what shows the resolved ones.
import { plural, t } from '@lingui/core/macro'
import { Trans } from '@lingui/react/macro'
import { CheckCheck } from 'lucide-react'

type Props = { isColumn: boolean; open: number; resolved: number; showsResolved: boolean; onToggle(): void }

export function CommentHeader({ isColumn, open, resolved, showsResolved, onToggle }: Props) {
  const label = t`Resolved (${resolved})`
  const title = showsResolved ? t`Hide resolved comments` : t`Show resolved comments`
  const look = showsResolved ? 'bg-hover text-fg' : ''
  return (
    <header className={`sticky top-0 z-20 flex h-11 items-center gap-2 text-[13px] ${isColumn ? 'bg-side px-4' : 'justify-center bg-bg'}`}>
      {isColumn && <h3 className="font-semibold"><Trans>Comments</Trans></h3>}
      {isColumn && <span className={`text-fg2 ${resolved ? '' : 'ms-auto'}`}>{plural(open, { one: '# open', other: '# open' })}</span>}
      {resolved > 0 && (
        <button key="resolved" type="button" className={`ghost tabular-nums ${isColumn ? '-me-2 ms-auto' : 'min-w-7 justify-center gap-0.5 px-0.5'} ${look}`} aria-pressed={showsResolved} title={isColumn ? title : label} onClick={onToggle}>
          {!isColumn && <CheckCheck className="size-4" aria-hidden />}
          {!isColumn && <span aria-hidden>{resolved}</span>}
          <span className={isColumn ? '' : 'sr-only'}>{label}</span>
        </button>
      )}
    </header>
  )
}
