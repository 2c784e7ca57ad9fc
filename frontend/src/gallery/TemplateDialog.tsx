// Writes a template: a new one, or a new version. Its placeholders are found in the text, and each says how it is asked for.
import { useRef, useState } from 'react'
import { t } from '@lingui/core/macro'
import { Trans, useLingui } from '@lingui/react/macro'
import { Braces } from 'lucide-react'
import { Dialog } from 'radix-ui'
import { errorMessage } from '../api/client'
import type { PlaceholderItem, TemplateKind } from '../api/generated'
import { ErrorLine } from '../ui/FormDialog'
import { galleryApi } from './galleryApi'
import { PlaceholderRow } from './PlaceholderRow'
import { asksForAllGaps, nameFor, namesIn, newPlaceholder, placeholdersOf } from './placeholders'
import { closeEditor, noteSaved, type EditedTemplate } from './store'
import { KIND_NAMES, KINDS } from './labels'

const GAP_EXAMPLE = '{{customer}}'
const MAX_PROMPT = 8000
const MAX_BODY = 100_000

export default function TemplateDialog({ template }: { template: EditedTemplate }) {
  const [kind, setKind] = useState(template.kind)
  const [head, setHead] = useState({ title: template.title, category: template.category, description: template.description })
  const [body, setBody] = useState(template.body)
  const [definitions, setDefinitions] = useState<readonly PlaceholderItem[]>(template.placeholders)
  const [askedNames, setAskedNames] = useState<ReadonlySet<string>>(new Set(template.placeholders.map(({ name }) => name)))
  const [busy, setBusy] = useState(false)
  const [error, setError] = useState('')
  const placeholders = placeholdersOf(body, kind, definitions, askedNames)
  const change = (placeholder: PlaceholderItem) => setDefinitions(placeholders.map((one) => (one.name === placeholder.name ? placeholder : one)))
  const save = async () => {
    setBusy(true)
    setError('')
    const text = { ...head, body, placeholders }
    try {
      const savedTemplate = await (template.id ? galleryApi.change(template.id, text) : galleryApi.create({ ...text, kind }))
      closeEditor()
      noteSaved(savedTemplate, template.id === null)
    } catch (problem) {
      setError(errorMessage(problem))
      setBusy(false)
    }
  }
  const addPlaceholder = (name: string, value: string, next: string) => {
    setBody(next)
    setAskedNames(new Set([...askedNames, name]))
    setDefinitions([...placeholders, { ...newPlaceholder(name), default: value.slice(0, 500), kind: value.includes('\n') ? 'long_text' : 'text' }])
  }
  return (
    <Dialog.Root open onOpenChange={(open) => !open && closeEditor()}>
      <Dialog.Portal>
        <Dialog.Overlay className="fade fixed inset-0 z-50 bg-scrim" />
        <Dialog.Content
          aria-describedby={undefined}
          onCloseAutoFocus={(event) => event.preventDefault()}
          onInteractOutside={(event) => event.preventDefault()}
          className="rise fixed left-1/2 top-1/2 z-50 flex max-h-[92dvh] w-[min(46rem,94vw)] -translate-x-1/2 -translate-y-1/2 flex-col overflow-hidden rounded-[18px] border border-line bg-raise shadow-pop max-sm:inset-0 max-sm:h-full max-sm:max-h-none max-sm:w-full max-sm:translate-x-0 max-sm:translate-y-0 max-sm:rounded-none max-sm:border-0"
        >
          <Dialog.Title className="px-5 pt-5 text-[16px] font-semibold">{template.id ? t`Edit template` : t`New template`}</Dialog.Title>
          <form
            className="flex min-h-0 flex-1 flex-col"
            onSubmit={(event) => {
              event.preventDefault()
              void save()
            }}
          >
            <div className="min-h-0 flex-1 space-y-3 overflow-y-auto px-5 pb-4 pt-3">
              <HeadFields kind={kind} head={head} onKind={template.mayChangeKind ? setKind : undefined} onChange={setHead} />
              <BodyField kind={kind} body={body} takenNames={namesIn(body)} onChange={setBody} onPlaceholder={addPlaceholder} />
              <OpenGaps kind={kind} names={namesIn(body).filter((name) => !placeholders.some((one) => one.name === name))} onAsk={(name) => setAskedNames(new Set([...askedNames, name]))} />
              {placeholders.length > 0 && (
                <fieldset>
                  <legend className="text-[13px] font-medium">
                    <Trans>Placeholders</Trans>
                  </legend>
                  <ul className="mt-1.5 space-y-2">
                    {placeholders.map((placeholder) => (
                      <PlaceholderRow key={placeholder.name} placeholder={placeholder} onChange={change} />
                    ))}
                  </ul>
                </fieldset>
              )}
            </div>
            <div className="shrink-0 border-t border-line px-5 py-3.5">
              {error && <ErrorLine text={error} />}
              <div className="flex justify-end gap-2 pt-1">
                <Dialog.Close className="btn">
                  <Trans>Cancel</Trans>
                </Dialog.Close>
                <button type="submit" className="btn-primary" disabled={busy || !head.title.trim() || !body.trim()}>
                  {template.id ? <Trans>Save as a new version</Trans> : <Trans>Save template</Trans>}
                </button>
              </div>
            </div>
          </form>
        </Dialog.Content>
      </Dialog.Portal>
    </Dialog.Root>
  )
}

type Head = { readonly title: string; readonly category: string; readonly description: string }
type HeadProps = { kind: TemplateKind; head: Head; onKind: ((kind: TemplateKind) => void) | undefined; onChange(head: Head): void }

function HeadFields({ kind, head, onKind, onChange }: HeadProps) {
  const { t } = useLingui()
  const field = (name: keyof Head, label: string, maxLength: number, required = false) => (
    <label className="block text-[13px] font-medium">
      {label}
      <input value={head[name]} required={required} maxLength={maxLength} onChange={(event) => onChange({ ...head, [name]: event.target.value })} className="field mt-1 w-full font-normal" />
    </label>
  )
  return (
    <>
      <div className={`grid gap-3 max-sm:grid-cols-1 ${onKind ? 'grid-cols-[9rem_1fr_11rem]' : 'grid-cols-[1fr_11rem]'}`}>
        {onKind && (
          <label className="block text-[13px] font-medium">
            <Trans>Kind</Trans>
            <select value={kind} onChange={(event) => onKind(event.target.value as TemplateKind)} className="field mt-1 w-full font-normal">
              {KIND_NAMES.map((name) => (
                <option key={name} value={name}>
                  {t(KINDS[name].one)}
                </option>
              ))}
            </select>
          </label>
        )}
        {field('title', t`Title`, 80, true)}
        {field('category', t`Category`, 40)}
      </div>
      {field('description', t`Description`, 300)}
    </>
  )
}

type BodyProps = { kind: TemplateKind; body: string; takenNames: readonly string[]; onChange(body: string): void; onPlaceholder(name: string, value: string, body: string): void }

function BodyField({ kind, body, takenNames, onChange, onPlaceholder }: BodyProps) {
  const box = useRef<HTMLTextAreaElement>(null)
  /** What is selected becomes a placeholder, with the text as its default. */
  const insert = () => {
    const { selectionStart: start, selectionEnd: end } = box.current!
    const selected = body.slice(start, end)
    const name = nameFor(selected, takenNames)
    onPlaceholder(name, selected.replaceAll(/\{\{|\}\}/g, ''), `${body.slice(0, start)}{{${name}}}${body.slice(end)}`)
    box.current!.focus()
  }
  return (
    <div>
      <div className="flex items-end gap-2">
        <label htmlFor="template-body" className="text-[13px] font-medium">
          <Trans>Text</Trans>
        </label>
        <button type="button" className="ghost ms-auto text-accent" onMouseDown={(event) => event.preventDefault()} onClick={insert}>
          <Braces className="size-3.5" aria-hidden />
          <Trans>Make the selection a placeholder</Trans>
        </button>
      </div>
      <textarea
        id="template-body"
        ref={box}
        required
        rows={11}
        maxLength={kind === 'prompt' ? MAX_PROMPT : MAX_BODY}
        spellCheck={kind === 'text' || kind === 'prompt'}
        value={body}
        onChange={(event) => onChange(event.target.value)}
        aria-describedby="template-body-hint"
        className="field mt-1 h-auto w-full resize-y py-2 font-mono text-[12.5px] leading-[1.6]"
      />
      <p id="template-body-hint" className="mt-1 text-[12.5px] text-fg3">
        <Trans>Placeholders stand in double braces, such as {GAP_EXAMPLE}.</Trans>{' '}
        {kind === 'python' && <Trans>Put text in quotes. Numbers need none.</Trans>}
      </p>
    </div>
  )
}

/** Braces in a program or a diagram that are no placeholders yet. */
function OpenGaps({ kind, names, onAsk }: { kind: TemplateKind; names: readonly string[]; onAsk(name: string): void }) {
  if (asksForAllGaps(kind) || names.length === 0) return null
  return (
    <p className="flex flex-wrap items-center gap-1.5 text-[12.5px] text-fg2">
      <Trans>Also in double braces:</Trans>
      {names.slice(0, 8).map((name) => (
        <button key={name} type="button" className="btn h-7" onClick={() => onAsk(name)}>
          <Trans>Ask for “{name}”</Trans>
        </button>
      ))}
    </p>
  )
}
