// Shiki with the JavaScript regex engine: no WebAssembly, so the page needs no 'wasm-unsafe-eval'. Runs in a worker.
import type { GrammarState, HighlighterCore, LanguageInput, ThemedToken } from 'shiki/core'
import { createCssVariablesTheme, createHighlighterCore } from 'shiki/core'
import { createJavaScriptRegexEngine } from 'shiki/engine/javascript'
import type { Grammar, Span } from './grammars'

const FILES: Record<Grammar, () => Promise<{ default: LanguageInput }>> = {
  bash: () => import('@shikijs/langs/bash'),
  cpp: () => import('@shikijs/langs/cpp'),
  css: () => import('@shikijs/langs/css'),
  diff: () => import('@shikijs/langs/diff'),
  docker: () => import('@shikijs/langs/docker'),
  go: () => import('@shikijs/langs/go'),
  html: () => import('@shikijs/langs/html'),
  java: () => import('@shikijs/langs/java'),
  javascript: () => import('@shikijs/langs/javascript'),
  json: () => import('@shikijs/langs/json'),
  markdown: () => import('@shikijs/langs/markdown'),
  python: () => import('@shikijs/langs/python'),
  rust: () => import('@shikijs/langs/rust'),
  sql: () => import('@shikijs/langs/sql'),
  tsx: () => import('@shikijs/langs/tsx'),
  typescript: () => import('@shikijs/langs/typescript'),
  yaml: () => import('@shikijs/langs/yaml'),
}

const THEME = 'classes'
/** Lines that are longer have no colours: reading them would hold up everything behind them. Time is no limit, because what it cuts short has wrong colours for ever. */
const MAX_LINE_CHARS = 20_000
let core: Promise<HighlighterCore> | undefined

const createCore = () =>
  createHighlighterCore({
    themes: [createCssVariablesTheme({ name: THEME, variablePrefix: '--tk-' })],
    langs: [],
    engine: createJavaScriptRegexEngine({ forgiving: true }),
  })

/** The highlighter with `grammar` loaded. */
export async function highlighterFor(grammar: Grammar): Promise<HighlighterCore> {
  const highlighter = await (core ??= createCore())
  if (!highlighter.getLoadedLanguages().includes(grammar)) await highlighter.loadLanguage((await FILES[grammar]()).default)
  return highlighter
}

const kindOf = (colour: string | undefined): string => colour?.match(/--tk-token-([\w-]+)/)?.[1] ?? ''
const spansOf = (tokens: ThemedToken[]): Span[] => tokens.map((token) => ({ kind: kindOf(token.color), text: token.content }))

/** A growing piece of code. Each finished line is read once; only the line being typed is read again. */
export class CodeStream {
  private done = ''
  private lines: Span[][] = []
  private state: GrammarState | undefined

  constructor(
    private readonly highlighter: HighlighterCore,
    readonly grammar: Grammar,
  ) {}

  /** How many lines will not change any more. */
  get settled(): number {
    return this.lines.length
  }

  update(code: string): readonly Span[][] {
    if (!code.startsWith(this.done)) this.restart()
    const end = code.lastIndexOf('\n') + 1
    if (end > this.done.length) this.settle(code, end)
    const tail = code.slice(this.done.length)
    return tail ? [...this.lines, ...this.read(tail).map(spansOf)] : this.lines
  }

  private restart(): void {
    this.done = ''
    this.lines = []
    this.state = undefined
  }

  private settle(code: string, end: number): void {
    const tokens = this.read(code.slice(this.done.length, end - 1))
    this.state = this.highlighter.getLastGrammarState(tokens) as GrammarState | undefined
    this.lines = [...this.lines, ...tokens.map(spansOf)]
    this.done = code.slice(0, end)
  }

  private read(code: string): ThemedToken[][] {
    return this.highlighter.codeToTokensBase(code, { lang: this.grammar, theme: THEME, grammarState: this.state, tokenizeTimeLimit: 0, tokenizeMaxLineLength: MAX_LINE_CHARS })
  }
}
