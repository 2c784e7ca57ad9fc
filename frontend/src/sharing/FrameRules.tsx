import { useState } from 'react'
import { t } from '@lingui/core/macro'
import { Trans } from '@lingui/react/macro'
import { Frame } from 'lucide-react'
import { errorMessage } from '../api/client'
import type { ShareItem } from '../api/generated'
import { CopyButton } from '../ui/CopyButton'
import { ErrorLine } from '../ui/FormDialog'
import { sharingApi } from './sharingApi'
import { putShare } from './store'
import { frameHtml } from './labels'

/** Of a link to a document for anyone: whose pages may show it, and the HTML for them. */
export function FrameRules({ share }: { share: ShareItem }) {
  const [origins, setOrigins] = useState<string>()
  const [error, setError] = useState('')
  const close = () => {
    setError('')
    setOrigins(undefined)
  }
  const save = () => {
    setError('')
    sharingApi.change(share.id, { frameOrigins: (origins ?? '').split(/\s+/).filter(Boolean) }).then(
      (changed) => {
        putShare(changed)
        close()
      },
      (problem: unknown) => setError(errorMessage(problem)),
    )
  }
  return (
    <>
      {origins === undefined && (
        <button type="button" className="ghost -ms-2 mt-1" onClick={() => setOrigins(share.frameOrigins.join('\n'))}>
          <Frame className="size-3.5" aria-hidden />
          {share.frameOrigins.length ? t`Change where it is embedded` : t`Embed in a page`}
        </button>
      )}
      {origins !== undefined && (
        <div className="mb-2 mt-2">
          <label className="text-[12.5px] text-fg2">
            <Trans>Pages that may show it, one address in each line</Trans>
            <textarea className="field mt-1.5 h-auto py-2 font-mono text-[12.5px]" rows={2} value={origins} spellCheck={false} placeholder="https://wiki.example" onChange={(event) => setOrigins(event.target.value)} />
          </label>
          <div className="mt-2 flex gap-2">
            <button type="button" className="btn" onClick={save}><Trans>Save</Trans></button>
            <button type="button" className="ghost" onClick={close}><Trans>Cancel</Trans></button>
          </div>
        </div>
      )}
      {origins === undefined && share.frameOrigins.length > 0 && share.url && <Snippet share={share} />}
      {error && <ErrorLine text={error} />}
    </>
  )
}

function Snippet({ share }: { share: ShareItem }) {
  return (
    <div className="mb-1 mt-1">
      <p className="text-[12.5px] text-fg2"><Trans>May be shown by {share.frameOrigins.join(', ')}</Trans></p>
      <div className="mt-1 flex items-start gap-2 rounded-lg bg-side p-2">
        <code className="min-w-0 flex-1 break-all text-[12px]">{frameHtml(share)}</code>
        <CopyButton text={frameHtml(share)} what="html" word />
      </div>
    </div>
  )
}
