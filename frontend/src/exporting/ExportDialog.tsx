import { useEffect, useRef, useState } from 'react'
import { msg, t } from '@lingui/core/macro'
import { Trans } from '@lingui/react/macro'
import { LoaderCircle } from 'lucide-react'
import { errorMessage } from '../api/client'
import { downloadBlob, fileName } from '../browser/download'
import { Choice } from '../ui/Choice'
import { ErrorLine, FormDialog } from '../ui/FormDialog'
import { showToast } from '../ui/toasts'
import { exportConversation, type Branches, type Format, type Versions } from './exportApi'
import { closeExportDialog, type ExportTarget } from './store'

const FORMATS = [
  { value: 'pdf', label: msg`PDF`, says: msg`To read and print, with its documents and pictures` },
  { value: 'docx', label: msg`Word`, says: msg`To edit, with headings, lists and tables` },
  { value: 'md', label: msg`Markdown`, says: msg`Plain text that other programs understand` },
  { value: 'zip', label: msg`ZIP with all documents`, says: msg`The chat as Markdown, and each document as a file` },
  { value: 'json', label: msg`JSON`, says: msg`Everything, for programs` },
] as const
const BRANCHES = [
  { value: 'shown', label: msg`As shown` },
  { value: 'all', label: msg`Other versions, too` },
] as const
const VERSIONS = [
  { value: 'latest', label: msg`Latest versions` },
  { value: 'all', label: msg`All versions` },
] as const

/** Lets the user choose what of a conversation goes into which file. */
export default function ExportDialog({ conversation }: { conversation: ExportTarget }) {
  const [format, setFormat] = useState<Format>('pdf')
  const [branches, setBranches] = useState<Branches>('shown')
  const [versions, setVersions] = useState<Versions>('latest')
  const [busy, setBusy] = useState(false)
  const [error, setError] = useState('')
  const leaving = useRef(new AbortController())
  useEffect(() => () => leaving.current.abort(), [])
  const download = async () => {
    setBusy(true)
    setError('')
    try {
      const file = await exportConversation(conversation.id, { format, branches, versions }, leaving.current.signal)
      const name = fileName(conversation.title, format)
      downloadBlob(name, file)
      showToast(t`“${name}” was downloaded.`)
      closeExportDialog()
    } catch (problem) {
      if (leaving.current.signal.aborted) return
      setError(errorMessage(problem))
      setBusy(false)
    }
  }
  return (
    <FormDialog title={t`Export this chat`} says={conversation.title} onClose={closeExportDialog} onSubmit={() => void download()}>
      <Choice<Format> legend={t`File`} name="format" value={format} options={FORMATS.map((one) => ({ value: one.value, label: t(one.label), says: t(one.says) }))} onChange={setFormat} />
      {format !== 'json' && <RadioGroup<Branches> legend={t`Messages`} name="branches" value={branches} options={BRANCHES} onChange={setBranches} />}
      {format === 'zip' && <RadioGroup<Versions> legend={t`Documents`} name="versions" value={versions} options={VERSIONS} onChange={setVersions} />}
      {error && <ErrorLine text={error} />}
      <div className="mt-5 flex justify-end gap-2">
        <button type="button" className="btn" onClick={closeExportDialog}>
          <Trans>Cancel</Trans>
        </button>
        <button type="submit" className="btn-primary" disabled={busy}>
          {busy && <LoaderCircle className="size-3.5 animate-spin" aria-hidden />}
          {busy ? t`Making the file…` : t`Download`}
        </button>
      </div>
    </FormDialog>
  )
}

type RadioGroupProps<T extends string> = { legend: string; name: string; value: T; options: readonly { readonly value: T; readonly label: (typeof BRANCHES)[number]['label'] }[]; onChange(value: T): void }

function RadioGroup<T extends string>({ legend, name, value, options, onChange }: RadioGroupProps<T>) {
  return (
    <fieldset className="mt-4">
      <legend className="text-[13px] font-medium text-fg2">{legend}</legend>
      <div className="mt-1 flex flex-wrap gap-x-6">
        {options.map((option) => (
          <label key={option.value} className="flex min-h-7 cursor-pointer items-center gap-2.5 text-[13.5px] pointer-coarse:min-h-11">
            <input type="radio" name={name} checked={value === option.value} onChange={() => onChange(option.value)} className="size-4 accent-accent" />
            {t(option.label)}
          </label>
        ))}
      </div>
    </fieldset>
  )
}
