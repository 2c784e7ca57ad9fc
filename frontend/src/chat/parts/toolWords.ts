// What a tool call did, in plain words. Pure.
import type { DynamicToolUIPart } from 'ai'
import { displayName } from './format'

type Words = { readonly done: string; readonly doing: string; readonly failed: string }

const words = (done: string, doing: string, failed: string): Words => ({ done, doing, failed: `Couldn’t ${failed}` })

const OPERATIONS: Record<string, (thing: string) => Words> = {
  update: (thing) => words(`Changed a ${thing}`, `Changing a ${thing}`, `change the ${thing}`),
  fix: (thing) => words(`Fixed a ${thing}`, `Fixing a ${thing}`, `fix the ${thing}`),
  revert: (thing) => words(`Restored a ${thing}`, `Restoring a ${thing}`, `restore the ${thing}`),
  suggestion: (thing) => words('Suggested changes', 'Suggesting changes', `suggest changes to the ${thing}`),
  explain: (thing) => words(`Explained a ${thing}`, `Explaining a ${thing}`, `explain the ${thing}`),
}

const written =
  (thing: string) =>
  (input: unknown): Words => {
    const { operation } = (input ?? {}) as { operation?: unknown }
    const named = typeof operation === 'string' ? OPERATIONS[operation] : undefined
    return named?.(thing) ?? words(`Wrote a ${thing}`, `Writing a ${thing}`, `write the ${thing}`)
  }

const TOOLS: Record<string, Words | ((input: unknown) => Words)> = {
  web_search: words('Searched the web', 'Searching the web', 'search the web'),
  provider_tools_agent: words('Searched the web', 'Searching the web', 'search the web'),
  url_context: words('Opened a page', 'Opening a page', 'open the page'),
  fetch_url: words('Opened a page', 'Opening a page', 'open the page'),
  search: words('Searched the web', 'Searching the web', 'search the web'),
  search_files: words('Searched your files', 'Searching your files', 'search your files'),
  list_project_files: words('Looked at the project’s files', 'Looking at the project’s files', 'look at the project’s files'),
  read_project_file: words('Read a project file', 'Reading a project file', 'read the project file'),
  search_project_files: words('Searched the project’s files', 'Searching the project’s files', 'search the project’s files'),
  code_execution: words('Ran a program', 'Running a program', 'run the program'),
  image_generation: words('Made a picture', 'Making a picture', 'make the picture'),
  git_mcp_agent: words('Looked on GitHub', 'Looking on GitHub', 'look on GitHub'),
  plan: words('Made a plan', 'Making a plan', 'make a plan'),
  update_page_state: words('Changed the page', 'Changing the page', 'change the page'),
  document_agent: written('document'),
  mermaid_agent: written('diagram'),
  python_agent: written('program'),
}

/** The words for a tool that this page knows; undefined for an organization's own. */
function wordsOf({ toolName, input }: DynamicToolUIPart): Words | undefined {
  const known = Object.hasOwn(TOOLS, toolName) ? TOOLS[toolName] : undefined
  return typeof known === 'function' ? known(input) : known
}

/** What the call did, does, or could not do. `denied` and `stopped` calls are named like running ones. */
export function callWords(part: DynamicToolUIPart, state: 'done' | 'failed' | 'open'): string {
  const known = wordsOf(part)
  if (known) return state === 'done' ? known.done : state === 'failed' ? known.failed : known.doing
  return part.title ?? displayName(part.toolName)
}
