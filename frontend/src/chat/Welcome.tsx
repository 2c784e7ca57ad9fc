import { ArrowUpRight } from 'lucide-react'
import { boot } from '../api/boot'

function partOfDay(hour: number): string {
  if (hour < 5) return 'Good night'
  if (hour < 12) return 'Good morning'
  return hour < 18 ? 'Good afternoon' : 'Good evening'
}

export function Greeting() {
  const name = boot.user.name.split(/\s+/)[0] ?? ''
  return (
    <div className="column rise pb-5">
      <h2 className="px-3 text-[27px] font-semibold tracking-[-0.02em] max-sm:text-[23px]">
        {partOfDay(new Date().getHours())}
        {name && `, ${name}`}
      </h2>
      <p className="mt-1 px-3 text-[15px] text-fg2">{boot.welcome.title || 'What are we working on?'}</p>
    </div>
  )
}

export function Starters({ onChoose }: { onChoose(text: string): void }) {
  return (
    <ul className="column grid flex-[1_1_40%] auto-rows-min grid-cols-2 gap-2 overflow-y-auto pb-4 pt-1 max-sm:grid-cols-1">
      {boot.welcome.prompts.map((prompt) => (
        <li key={prompt.title}>
          <button type="button" className="starter group" onClick={() => onChoose(prompt.text)}>
            <span className="min-w-0 flex-1">
              <span className="block text-[13.5px] font-medium">{prompt.title}</span>
              <span className="mt-0.5 line-clamp-2 text-[13px] max-sm:line-clamp-1 text-fg3">{prompt.text}</span>
            </span>
            <ArrowUpRight className="size-4 shrink-0 text-fg3 transition-colors group-hover:text-accent" aria-hidden />
          </button>
        </li>
      ))}
    </ul>
  )
}
