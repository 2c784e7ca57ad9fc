// One template beside the grid: what it is, how it will look, the form of its placeholders, and what its author may do.
import { useState } from 'react'
import { t } from '@lingui/core/macro'
import { Trans } from '@lingui/react/macro'
import { BadgeCheck, X } from 'lucide-react'
import { canWrite } from '../api/boot'
import { errorMessage } from '../api/client'
import type { TemplateDetail } from '../api/generated'
import { NotFound } from '../navigation/NotFound'
import { PlainText } from '../plainText/PlainText'
import { useStore } from '../ui/store'
import { ErrorLine } from '../ui/FormDialog'
import { defaultsOf } from './placeholders'
import { Preview } from './Preview'
import { StateBar } from './StateBar'
import { target } from './store'
import { TemplateMenu } from './TemplateMenu'
import { applyTemplate } from './applyTemplate'
import { useTemplate } from './useTemplate'
import { ValueFields } from './ValueFields'

export const USE_FORM = 'template-form'

export function TemplateAside({ id, onClose }: { id: string; onClose(): void }) {
  const open = useTemplate(id)
  const { template, isMissing, error } = open
  return (
    <aside aria-label={t`Template`} className="flex min-h-0 flex-1 flex-col">
      <div className="flex items-center gap-2 px-5 pt-3.5">
        {template && <Origin template={template} />}
        <span className="ms-auto" />
        {template && <TemplateMenu template={template} open={open} onDeleted={onClose} />}
        <button type="button" className="icon" aria-label={t`Close`} title={t`Close`} onClick={onClose}>
          <X className="size-4" aria-hidden />
        </button>
      </div>
      {isMissing && <NotFound what="Template" />}
      {error && !isMissing && (
        <div className="px-5">
          <ErrorLine text={error} />
        </div>
      )}
      {template && <Content key={`${template.id} ${template.version}`} template={template} open={open} />}
    </aside>
  )
}

function Origin({ template: { source, state, reviewer, author, own } }: { template: TemplateDetail }) {
  if (source === 'parley') return <span className="rounded-md bg-hover px-2 py-0.5 text-[12.5px] font-medium text-fg2"><Trans>By Parley</Trans></span>
  if (state === 'in_review' && !own) return <span className="rounded-md bg-warn-soft px-2 py-0.5 text-[12.5px] font-medium text-warn"><Trans>In review, by {author}</Trans></span>
  if (reviewer)
    return (
      <span className="inline-flex items-center gap-1.5 rounded-md bg-soft px-2 py-0.5 text-[12.5px] font-medium text-accent">
        <BadgeCheck className="size-3.5" aria-hidden />
        <Trans>Reviewed by {reviewer}</Trans>
      </span>
    )
  return null
}

function Content({ template, open }: { template: TemplateDetail; open: ReturnType<typeof useTemplate> }) {
  const [values, setValues] = useState(() => defaultsOf(template.placeholders))
  const [busy, setBusy] = useState(false)
  const [error, setError] = useState('')
  const destination = useStore(target)
  const [inNew, setInNew] = useState(destination === null)
  const change = (name: string, value: string) => setValues((former) => ({ ...former, [name]: value }))
  const run = (fieldValues: typeof values | null) => {
    setBusy(true)
    setError('')
    applyTemplate(template, fieldValues, inNew ? null : (destination?.id ?? null)).catch((problem: unknown) => {
      setError(errorMessage(problem))
      setBusy(false)
    })
  }
  const mayUse = canWrite && template.version === (template.own ? template.latestVersion : template.version)
  return (
    <form
      id={USE_FORM}
      className="flex min-h-0 flex-1 flex-col"
      onSubmit={(event) => {
        event.preventDefault()
        run(values)
      }}
    >
      <div className="min-h-0 flex-1 overflow-y-auto px-5 pb-4 pt-2" tabIndex={0} role="region" aria-label={template.title}>
        <h2 className="text-[18px] font-[680] tracking-[-0.02em] [overflow-wrap:anywhere]">
          <PlainText text={template.title} prose />
        </h2>
        {template.description && (
          <p className="mt-0.5 text-[13.5px] leading-[1.5] text-fg2 [overflow-wrap:anywhere]">
            <PlainText text={template.description} prose />
          </p>
        )}
        <StateBar template={template} open={open} />
        <div className="mt-3">
          <Preview template={template} values={values} />
        </div>
        {mayUse && <ValueFields placeholders={template.placeholders} values={values} onChange={change} />}
      </div>
      {mayUse && (
        <div className="shrink-0 border-t border-line px-5 py-3.5">
          {destination && <LocationChoice title={destination.title} inNew={inNew} onChange={setInNew} />}
          {error && <ErrorLine text={error} />}
          <div className="flex gap-2 pt-1">
            <button type="submit" className="btn-primary h-9.5 flex-1 justify-center rounded-[10px] text-[14px]" disabled={busy}>
              {template.kind === 'prompt' ? <Trans>Insert into the message box</Trans> : <Trans>Use template</Trans>}
            </button>
            {template.placeholders.length > 0 && (
              <button type="button" className="btn h-9.5 rounded-[10px]" disabled={busy} title={t`Leaves the placeholders in the text`} onClick={() => run(null)}>
                <Trans>Empty copy</Trans>
              </button>
            )}
          </div>
        </div>
      )}
    </form>
  )
}

function LocationChoice({ title, inNew, onChange }: { title: string; inNew: boolean; onChange(inNew: boolean): void }) {
  return (
    <label className="mb-2 block text-[13px] font-medium">
      <Trans>Use it in</Trans>
      <select value={inNew ? 'new' : 'open'} onChange={(event) => onChange(event.target.value === 'new')} className="field mt-1 w-full font-normal">
        <option value="open">{title || t`The chat you came from`}</option>
        <option value="new">{t`A new chat`}</option>
      </select>
    </label>
  )
}
