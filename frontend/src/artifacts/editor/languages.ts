// Highlighting and indentation by language. A grammar is loaded when a text in its language is first edited.
import { defineLanguageFacet, HighlightStyle, Language, StreamLanguage, syntaxHighlighting, type StreamParser } from '@codemirror/language'
import type { Extension } from '@codemirror/state'
import { tags } from '@lezer/highlight'

type Load = () => Promise<Extension>

const stream =
  (load: () => Promise<StreamParser<unknown>>): Load =>
  async () =>
    StreamLanguage.define(await load())

const clike = (name: 'c' | 'cpp' | 'java' | 'csharp' | 'scala' | 'kotlin' | 'dart'): Load => stream(async () => (await import('@codemirror/legacy-modes/mode/clike'))[name])
const script = (name: 'javascript' | 'typescript' | 'json'): Load => stream(async () => (await import('@codemirror/legacy-modes/mode/javascript'))[name])
const sheet = (name: 'css' | 'sCSS' | 'less'): Load => stream(async () => (await import('@codemirror/legacy-modes/mode/css'))[name])
const markup = (name: 'html' | 'xml'): Load => stream(async () => (await import('@codemirror/legacy-modes/mode/xml'))[name])

async function markdown(): Promise<Extension> {
  const { GFM, parser } = await import('@lezer/markdown')
  return new Language(defineLanguageFacet(), parser.configure(GFM), [], 'markdown')
}

const MERMAID_WORDS =
  /^(?:flowchart|graph|sequenceDiagram|classDiagram|stateDiagram(?:-v2)?|erDiagram|gantt|pie|journey|mindmap|timeline|gitGraph|quadrantChart|subgraph|end|participant|actor|loop|alt|else|opt|par|and|note|over|class|state|section|title|direction|style|classDef|click)\b/
const mermaid: StreamParser<unknown> = {
  name: 'mermaid',
  token(line) {
    if (line.match(/^%%.*/)) return 'comment'
    if (line.match(/^"[^"]*"?/)) return 'string'
    if (line.match(/^(?:<?[-=.]+[->xo)]*>?|\|)/)) return 'operator'
    if (line.match(MERMAID_WORDS)) return 'keyword'
    if (!line.match(/^[\p{L}\p{N}_]+/u)) line.next()
    return null
  },
}

const LANGUAGES: Readonly<Record<string, Load>> = {
  markdown,
  mermaid: async () => StreamLanguage.define(mermaid),
  python: async () => (await import('@codemirror/lang-python')).python(),
  javascript: script('javascript'),
  typescript: script('typescript'),
  json: script('json'),
  css: sheet('css'),
  scss: sheet('sCSS'),
  less: sheet('less'),
  html: markup('html'),
  xml: markup('xml'),
  c: clike('c'),
  cpp: clike('cpp'),
  java: clike('java'),
  csharp: clike('csharp'),
  scala: clike('scala'),
  kotlin: clike('kotlin'),
  dart: clike('dart'),
  go: stream(async () => (await import('@codemirror/legacy-modes/mode/go')).go),
  rust: stream(async () => (await import('@codemirror/legacy-modes/mode/rust')).rust),
  ruby: stream(async () => (await import('@codemirror/legacy-modes/mode/ruby')).ruby),
  swift: stream(async () => (await import('@codemirror/legacy-modes/mode/swift')).swift),
  lua: stream(async () => (await import('@codemirror/legacy-modes/mode/lua')).lua),
  perl: stream(async () => (await import('@codemirror/legacy-modes/mode/perl')).perl),
  r: stream(async () => (await import('@codemirror/legacy-modes/mode/r')).r),
  haskell: stream(async () => (await import('@codemirror/legacy-modes/mode/haskell')).haskell),
  shell: stream(async () => (await import('@codemirror/legacy-modes/mode/shell')).shell),
  powershell: stream(async () => (await import('@codemirror/legacy-modes/mode/powershell')).powerShell),
  sql: stream(async () => (await import('@codemirror/legacy-modes/mode/sql')).standardSQL),
  yaml: stream(async () => (await import('@codemirror/legacy-modes/mode/yaml')).yaml),
  toml: stream(async () => (await import('@codemirror/legacy-modes/mode/toml')).toml),
  ini: stream(async () => (await import('@codemirror/legacy-modes/mode/properties')).properties),
  docker: stream(async () => (await import('@codemirror/legacy-modes/mode/dockerfile')).dockerFile),
  nginx: stream(async () => (await import('@codemirror/legacy-modes/mode/nginx')).nginx),
  diff: stream(async () => (await import('@codemirror/legacy-modes/mode/diff')).diff),
}

const EXTENSIONS: Readonly<Record<string, string>> = {
  ...{ md: 'markdown', mmd: 'mermaid', py: 'python', js: 'javascript', mjs: 'javascript', jsx: 'javascript', ts: 'typescript', tsx: 'typescript' },
  ...{ htm: 'html', vue: 'html', svelte: 'html', svg: 'xml', h: 'c', cc: 'cpp', hpp: 'cpp', cxx: 'cpp', cs: 'csharp', kt: 'kotlin', kts: 'kotlin' },
  ...{ rs: 'rust', rb: 'ruby', pl: 'perl', hs: 'haskell', sh: 'shell', bash: 'shell', zsh: 'shell', ps1: 'powershell', yml: 'yaml', cfg: 'ini' },
  ...{ conf: 'nginx', patch: 'diff', dockerfile: 'docker', properties: 'ini' },
}

/** The language of an artifact: its kind's, or of code by the end of its title; undefined or empty: plain text. */
export function languageNameOf({ language }: { readonly language: string }, title: string): string | undefined {
  if (language !== 'by_title') return language
  const extension = (title.trim().match(/\.([\w+]+)$/)?.[1] ?? title.trim()).toLowerCase()
  return EXTENSIONS[extension] ?? (extension in LANGUAGES ? extension : undefined)
}

const nothing: Extension = []
export const loadLanguage = (name: string | undefined): Promise<Extension> => LANGUAGES[name ?? '']?.() ?? Promise.resolve(nothing)

const style = HighlightStyle.define([
  { tag: tags.heading, class: 'tk-heading' },
  { tag: tags.strong, class: 'tk-strong' },
  { tag: tags.emphasis, class: 'tk-emphasis' },
  { tag: [tags.link, tags.url], class: 'tk-link' },
  { tag: [tags.string, tags.special(tags.string), tags.monospace, tags.labelName, tags.regexp], class: 'tk-string' },
  { tag: [tags.keyword, tags.tagName, tags.definitionKeyword], class: 'tk-keyword' },
  { tag: tags.comment, class: 'tk-comment' },
  { tag: [tags.function(tags.variableName), tags.function(tags.definition(tags.variableName)), tags.className, tags.typeName], class: 'tk-function' },
  { tag: [tags.number, tags.bool, tags.null, tags.atom, tags.meta], class: 'tk-constant' },
  { tag: [tags.propertyName, tags.attributeName], class: 'tk-parameter' },
  { tag: [tags.processingInstruction, tags.contentSeparator], class: 'tk-mark' },
])
export const colours: Extension = syntaxHighlighting(style)
