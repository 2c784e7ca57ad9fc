// The user's instructions, which every assistant reads.
import { useEffect, useId, useState } from 'react'
import { t } from '@lingui/core/macro'
import { Trans } from '@lingui/react/macro'
import { boot } from '../api/boot'
import { errorMessage } from '../api/client'
import { readPreferencesDraft, writePreferencesDraft } from '../browser/drafts'
import { numberText } from '../language/formats'
import { countCharacters } from '../plainText/characters'
import { ErrorLine } from '../ui/FormDialog'
import { showToast } from '../ui/toasts'
import { preferencesApi } from './preferencesApi'

/** As many as the server takes. */
const MAX_CHARACTERS = 2000

/** What the user wants every assistant to know. Unsaved text survives closing the settings. */
export function InstructionsSection() {
  return (
    <>
      <p className="text-[14px] text-fg2">
        <Trans>What the assistants of {boot.organization.name} should know about you, and how you like their answers. They read it with each of your messages.</Trans>
      </p>
      <InstructionsForm />
    </>
  )
}

type InstructionsState = { readonly text: string | undefined; readonly error: string; load(): void; keep(text: string): void }

/** The text from the server; undefined while it loads. */
function useInstructions(): InstructionsState {
  const [text, setText] = useState<string>()
  const [error, setError] = useState('')
  const load = () => {
    setError('')
    preferencesApi.get().then(
      (me) => setText(me.preferences),
      (problem: unknown) => setError(errorMessage(problem)),
    )
  }
  useEffect(load, [])
  return { text, error, load, keep: setText }
}

function InstructionsForm() {
  const instructions = useInstructions()
  if (instructions.text !== undefined) return <Editor storedText={instructions.text} onSaved={instructions.keep} />
  if (instructions.error === '') return <div role="status" aria-label={t`Loading your instructions`} className="skeleton mt-4 h-40" />
  return (
    <>
      <ErrorLine text={instructions.error} />
      <Buttons>
        <button type="button" className="btn-primary" onClick={instructions.load}>
          <Trans>Try again</Trans>
        </button>
      </Buttons>
    </>
  )
}

function useEditor(storedText: string, onSaved: (text: string) => void) {
  const [text, setText] = useState(() => readPreferencesDraft() || storedText)
  const [saving, setSaving] = useState(false)
  const [error, setError] = useState('')
  const change = (next: string) => {
    setText(next)
    writePreferencesDraft(next === storedText ? '' : next)
  }
  const save = async () => {
    setSaving(true)
    setError('')
    try {
      await preferencesApi.save({ preferences: text })
      writePreferencesDraft('')
      onSaved(text)
      showToast(t`Your instructions are saved.`)
    } catch (problem) {
      setError(errorMessage(problem))
    }
    setSaving(false)
  }
  return { text, change, save, saving, error }
}

function Editor({ storedText, onSaved }: { storedText: string; onSaved(text: string): void }) {
  const { text, change, save, saving, error } = useEditor(storedText, onSaved)
  const count = useId()
  const length = countCharacters(text)
  const tooLong = length > MAX_CHARACTERS
  return (
    <form
      className="flex min-h-0 flex-col"
      onSubmit={(event) => {
        event.preventDefault()
        void save()
      }}
    >
      <textarea
        autoFocus
        value={text}
        onChange={(event) => change(event.target.value)}
        aria-label={t`Your instructions`}
        aria-describedby={count}
        aria-invalid={tooLong}
        placeholder={t`I am a tax adviser in Ulm. Answer in short sentences, and in German when I write German.`}
        className="mt-4 block min-h-40 w-full resize-none rounded-xl border border-line2 bg-bg px-3 py-2.5 text-[14.5px] leading-[1.55] outline-none [field-sizing:content] placeholder:text-fg3 focus:border-accent aria-invalid:border-bad"
      />
      <p id={count} className={`mt-1.5 text-end text-[12px] tabular-nums ${tooLong ? 'font-medium text-bad' : 'text-fg3'}`}>
        <Trans>{numberText(length)} of {numberText(MAX_CHARACTERS)} characters</Trans>
      </p>
      {error && <ErrorLine text={error} />}
      <Buttons>
        <button type="submit" className="btn-primary" disabled={saving || tooLong || text === storedText}>
          {saving ? t`Saving…` : t`Save`}
        </button>
      </Buttons>
    </form>
  )
}

function Buttons({ children }: { children: React.ReactNode }) {
  return <div className="mt-4 flex justify-end gap-2">{children}</div>
}
