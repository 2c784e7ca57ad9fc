/** A highlighted piece of a line. `kind` is a token name such as `keyword`; empty for plain text. */
export type Span = { readonly kind: string; readonly text: string }

const GRAMMARS = [
  'bash', 'cpp', 'css', 'diff', 'docker', 'go', 'html', 'java', 'javascript', 'json', 'markdown', 'python', 'rust', 'sql', 'tsx', 'typescript', 'yaml',
] as const
export type Grammar = (typeof GRAMMARS)[number]

const ALIASES: Record<string, Grammar> = {
  c: 'cpp', 'c++': 'cpp', dockerfile: 'docker', js: 'javascript', jsx: 'tsx', md: 'markdown', patch: 'diff', py: 'python', python3: 'python', rs: 'rust', sh: 'bash',
  shell: 'bash', ts: 'typescript', yml: 'yaml', zsh: 'bash',
}

/** The grammar for a fence's info string (```` ```py title ````). Without one the code stays plain. */
export function grammarOf(info: string | undefined): Grammar | undefined {
  const name = (info ?? '').trim().split(/\s/)[0]?.toLowerCase() ?? ''
  return ALIASES[name] ?? GRAMMARS.find((grammar) => grammar === name)
}
