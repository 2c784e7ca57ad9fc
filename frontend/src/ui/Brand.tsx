/** The product's mark: a p that is a speech bubble. */
export function Mark({ className }: { className: string }) {
  return (
    <svg viewBox="0 0 32 32" className={`text-accent ${className}`} aria-hidden>
      <path
        fill="currentColor"
        fillRule="evenodd"
        d="M16.5 3C10.1 3 5 8.1 5 14.5V28.2c0 1.3 1.5 2 2.5 1.2L13 24.9c1.1.4 2.3.6 3.5.6C22.6 25.5 28 20.6 28 14.25 28 8.1 22.9 3 16.5 3ZM16.5 9.5a4.75 4.75 0 0 0 0 9.5h3.75a1 1 0 0 0 1-1v-3.75a4.75 4.75 0 0 0-4.75-4.75Z"
      />
    </svg>
  )
}

export function Brand() {
  return (
    <span className="flex min-w-0 items-center gap-2 ps-1 text-[17px] font-[680] tracking-[-0.035em]">
      <Mark className="size-5.5 shrink-0" />
      Parley
    </span>
  )
}
