export function ViewPlaceholder({ text }: { text: string }) {
  return (
    <p role="status" className="p-8 text-[13.5px] text-fg3">
      {text}
    </p>
  )
}
