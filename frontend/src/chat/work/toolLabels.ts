// What a tool call is called on screen: done, under way, failed. Pure.
import type { DynamicToolUIPart } from 'ai'
import { i18n, type MessageDescriptor } from '@lingui/core'
import { msg } from '@lingui/core/macro'
import { displayName } from './format'

type OperationTexts = { readonly done: MessageDescriptor; readonly doing: MessageDescriptor; readonly failed: MessageDescriptor }

/** `thing`: what is written, without an article. */
const OPERATIONS: Record<string, (thing: string) => OperationTexts> = {
  update: (thing) => ({ done: msg`Changed a ${thing}`, doing: msg`Changing a ${thing}`, failed: msg`Couldn’t change the ${thing}` }),
  fix: (thing) => ({ done: msg`Fixed a ${thing}`, doing: msg`Fixing a ${thing}`, failed: msg`Couldn’t fix the ${thing}` }),
  revert: (thing) => ({ done: msg`Restored a ${thing}`, doing: msg`Restoring a ${thing}`, failed: msg`Couldn’t restore the ${thing}` }),
  suggestion: (thing) => ({ done: msg`Suggested changes`, doing: msg`Suggesting changes`, failed: msg`Couldn’t suggest changes to the ${thing}` }),
  explain: (thing) => ({ done: msg`Explained a ${thing}`, doing: msg`Explaining a ${thing}`, failed: msg`Couldn’t explain the ${thing}` }),
}
const writing = (thing: string): OperationTexts => ({ done: msg`Wrote a ${thing}`, doing: msg`Writing a ${thing}`, failed: msg`Couldn’t write the ${thing}` })

const writingTexts =
  (noun: MessageDescriptor) =>
  (input: unknown): OperationTexts => {
    const { operation } = (input ?? {}) as { operation?: unknown }
    const words = typeof operation === 'string' ? OPERATIONS[operation] : undefined
    return (words ?? writing)(i18n._(noun))
  }

const WEB_SEARCH: OperationTexts = { done: msg`Searched the web`, doing: msg`Searching the web`, failed: msg`Couldn’t search the web` }
const PAGE: OperationTexts = { done: msg`Opened a page`, doing: msg`Opening a page`, failed: msg`Couldn’t open the page` }

const TOOLS: Record<string, OperationTexts | ((input: unknown) => OperationTexts)> = {
  web_search: WEB_SEARCH,
  provider_tools_agent: WEB_SEARCH,
  search: WEB_SEARCH,
  url_context: PAGE,
  fetch_url: PAGE,
  search_files: { done: msg`Searched your files`, doing: msg`Searching your files`, failed: msg`Couldn’t search your files` },
  list_project_files: { done: msg`Looked at the project’s files`, doing: msg`Looking at the project’s files`, failed: msg`Couldn’t look at the project’s files` },
  read_project_file: { done: msg`Read a project file`, doing: msg`Reading a project file`, failed: msg`Couldn’t read the project file` },
  search_project_files: { done: msg`Searched the project’s files`, doing: msg`Searching the project’s files`, failed: msg`Couldn’t search the project’s files` },
  code_execution: { done: msg`Ran a program`, doing: msg`Running a program`, failed: msg`Couldn’t run the program` },
  image_generation: { done: msg`Made a picture`, doing: msg`Making a picture`, failed: msg`Couldn’t make the picture` },
  git_mcp_agent: { done: msg`Looked on GitHub`, doing: msg`Looking on GitHub`, failed: msg`Couldn’t look on GitHub` },
  plan: { done: msg`Made a plan`, doing: msg`Making a plan`, failed: msg`Couldn’t make a plan` },
  update_page_state: { done: msg`Changed the page`, doing: msg`Changing the page`, failed: msg`Couldn’t change the page` },
  document_agent: writingTexts(msg({ message: 'document', context: 'work' })),
  mermaid_agent: writingTexts(msg({ message: 'diagram', context: 'work' })),
  python_agent: writingTexts(msg({ message: 'program', context: 'work' })),
}

/** The words for a tool that this page knows; undefined for an organization's own. */
function wordsOf({ toolName, input }: DynamicToolUIPart): OperationTexts | undefined {
  const entry = Object.hasOwn(TOOLS, toolName) ? TOOLS[toolName] : undefined
  return typeof entry === 'function' ? entry(input) : entry
}

/** What the call did, does, or could not do. `denied` and `stopped` calls are named like running ones. */
export function callLabel(part: DynamicToolUIPart, state: 'done' | 'failed' | 'open'): string {
  const texts = wordsOf(part)
  if (texts) return i18n._(state === 'open' ? texts.doing : texts[state])
  return part.title ?? displayName(part.toolName)
}
