import type { ReactNode } from 'react'

type Props = { title: string; /** Its state, beside the title. */ mark?: string | undefined; says?: ReactNode; /** What belongs to it stands below. */ isOpenBelow?: boolean; children?: ReactNode }

/** One decision: its name and what it does, and its control at the end. */
export function SettingRow({ title, mark, says, isOpenBelow = false, children }: Props) {
  return (
    <div className={`flex flex-wrap items-center gap-x-4 gap-y-2 py-4 ${isOpenBelow ? '' : 'border-b border-line last:border-b-0'}`}>
      <div className="min-w-48 flex-1">
        <h4 className="text-[14px] font-semibold">
          {title}
          {mark && <span className="ms-2 rounded-md bg-ok-soft px-1.5 py-0.5 text-[11.5px] font-semibold text-ok">{mark}</span>}
        </h4>
        {says && <p className="mt-0.5 text-[12.5px] text-fg3">{says}</p>}
      </div>
      {children}
    </div>
  )
}
