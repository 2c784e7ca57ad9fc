import { t } from '@lingui/core/macro'
import { Trans } from '@lingui/react/macro'
import { boot, canWrite } from '../api/boot'
import type { TemplateDetail } from '../api/generated'
import { galleryApi } from './galleryApi'
import type { OpenTemplate } from './useTemplate'

const mayPublish = boot.role === 'owner' || boot.role === 'admin'

/** For those who may change a template: who sees it, its versions, and the next step. */
export function StateBar({ template, open }: { template: TemplateDetail; open: OpenTemplate }) {
  if (!template.own) return template.state === 'in_review' ? <ReviewLink id={template.id} /> : null
  const { id, latestVersion, publishedVersion, reviewVersion, reason } = template
  const isNewer = latestVersion !== publishedVersion && latestVersion !== reviewVersion
  return (
    <div role="group" aria-label={t`State`} className="mt-3 rounded-xl border border-line bg-bg px-3 py-2.5 text-[12.5px] text-fg2">
      <p>{stateText(template)}</p>
      {reason && (
        <p className="mt-1.5 rounded-lg bg-warn-soft px-2.5 py-1.5 text-fg [overflow-wrap:anywhere]">
          <Trans>Sent back: {reason}</Trans>
        </p>
      )}
      {canWrite && (
        <div className="mt-2 flex flex-wrap items-center gap-2">
          {isNewer && (
            <button type="button" className="btn" onClick={() => open.act(galleryApi.submit(id))}>
              {mayPublish ? <Trans>Publish</Trans> : <Trans>Submit for review</Trans>}
            </button>
          )}
          {(reviewVersion !== null || publishedVersion !== null) && (
            <button type="button" className="btn" onClick={() => open.act(galleryApi.withdraw(id))}>
              {reviewVersion !== null ? <Trans>Take back</Trans> : <Trans>Withdraw</Trans>}
            </button>
          )}
          <Versions template={template} onChoose={open.choose} />
        </div>
      )}
    </div>
  )
}

function stateText({ latestVersion, publishedVersion, reviewVersion, state }: TemplateDetail): string {
  const { name } = boot.organization
  if (reviewVersion !== null) return publishedVersion === null ? t`Version ${reviewVersion} waits for an admin to approve it.` : t`Version ${reviewVersion} waits for an admin. ${name} sees version ${publishedVersion} until then.`
  if (publishedVersion === null) return state === 'withdrawn' ? t`Withdrawn. Only you see it.` : t`Only you see it.`
  return publishedVersion === latestVersion ? t`Everybody at ${name} can use it.` : t`${name} sees version ${publishedVersion}. Version ${latestVersion} isn’t published.`
}

function Versions({ template: { versions, version }, onChoose }: { template: TemplateDetail; onChoose(version: number): void }) {
  if (versions.length < 2) return null
  return (
    <select value={version} aria-label={t`Version`} onChange={(event) => onChoose(Number(event.target.value))} className="ms-auto h-8 rounded-lg border border-line2 bg-raise px-2 text-[12.5px] pointer-coarse:h-11">
      {versions.map(({ number, createdAt }) => {
        const day = new Date(createdAt).toLocaleDateString(boot.language)
        return (
          <option key={number} value={number}>
            {t`Version ${number}, ${day}`}
          </option>
        )
      })}
    </select>
  )
}

function ReviewLink({ id }: { id: string }) {
  if (!boot.adminUrl) return null
  return (
    <p className="mt-3 rounded-xl bg-warn-soft px-3 py-2.5 text-[12.5px]">
      <Trans>Only its author and admins see it yet.</Trans>{' '}
      <a className="font-semibold underline underline-offset-2" href={`${boot.adminUrl}gallery/template/${id}/change/`}>
        <Trans>Review it</Trans>
      </a>
    </p>
  )
}
