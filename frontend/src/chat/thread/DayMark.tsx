/** The day on which the messages below were written. */
export function DayMark({ day }: { day: string | undefined }) {
  if (!day) return null
  return (
    <p className="mb-6 flex items-center gap-4 text-[12.5px] font-medium text-fg2 before:h-px before:flex-1 before:bg-line after:h-px after:flex-1 after:bg-line">
      {day}
    </p>
  )
}
