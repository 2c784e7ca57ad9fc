// CodeMirror's own words, by the English that it would show (EditorState.phrases).
import { i18n, type MessageDescriptor } from '@lingui/core'
import { msg } from '@lingui/core/macro'

const PHRASES: Readonly<Record<string, MessageDescriptor>> = {
  Find: msg({ message: 'Find', context: 'editor' }),
  Replace: msg({ message: 'Replace', context: 'editor' }),
  next: msg({ message: 'next', context: 'editor' }),
  previous: msg({ message: 'previous', context: 'editor' }),
  all: msg({ message: 'all', context: 'editor' }),
  'match case': msg({ message: 'match case', context: 'editor' }),
  regexp: msg({ message: 'regexp', context: 'editor' }),
  'by word': msg({ message: 'by word', context: 'editor' }),
  replace: msg({ message: 'replace', context: 'editor' }),
  'replace all': msg({ message: 'replace all', context: 'editor' }),
  close: msg({ message: 'close', context: 'editor' }),
  'current match': msg({ message: 'current match', context: 'editor' }),
  'on line': msg({ message: 'on line', context: 'editor' }),
  'replaced match on line $': msg({ message: 'replaced match on line $', context: 'editor' }),
  'replaced $ matches': msg({ message: 'replaced $ matches', context: 'editor' }),
  'Go to line': msg({ message: 'Go to line', context: 'editor' }),
  go: msg({ message: 'go', context: 'editor' }),
  '$ unchanged lines': msg({ message: '$ unchanged lines', context: 'editor' }),
  'Selection deleted': msg({ message: 'Selection deleted', context: 'editor' }),
  'Control character': msg({ message: 'Control character', context: 'editor' }),
}

/** The words in the language of the page. `$` is where CodeMirror puts a number. */
export const editorPhrases = (): Record<string, string> => Object.fromEntries(Object.entries(PHRASES).map(([english, message]) => [english, i18n._(message)]))
