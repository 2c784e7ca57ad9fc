import { useState } from 'react'
import { t } from '@lingui/core/macro'
import { Trans } from '@lingui/react/macro'
import { errorMessage } from '../api/client'
import type { NewShare, SharePreview } from '../api/generated'
import { ErrorLine } from '../ui/FormDialog'
import { Choice, type Option } from '../ui/Choice'
import { sharingApi } from './sharingApi'
import { putShare, type SharedThing } from './store'
import { DEFAULT_DAYS, lifetimes } from './words'

type Audience = NonNullable<NewShare['audience']>

/** Makes a link. */
export function ShareForm({ thing, preview }: { thing: SharedThing; preview: SharePreview }) {
  const [audience, setAudience] = useState<Audience>('members')
  const [follows, setFollows] = useState(false)
  const [days, setDays] = useState<number | null>(DEFAULT_DAYS)
  const [busy, setBusy] = useState(false)
  const [error, setError] = useState('')
  const create = async () => {
    setBusy(true)
    setError('')
    try {
      putShare(await sharingApi.create({ of: thing.of, targetId: thing.id, follows, audience, days }))
    } catch (problem) {
      setError(errorMessage(problem))
    }
    setBusy(false)
  }
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault()
        void create()
      }}
    >
      <Choice<Audience> legend={t`Who can open it`} name="audience" value={audience} onChange={setAudience} options={audiences(preview)} />
      {preview.policy === 'members' && <p className="mt-1.5 text-[12.5px] text-fg2"><Trans>{preview.organization} allows links for its members only.</Trans></p>}
      <Choice legend={t`What they see`} name="follows" value={follows ? 'follows' : 'copy'} onChange={(value) => setFollows(value === 'follows')} options={thing.of === 'artifact' ? ofDocuments() : ofConversations()} />
      <label className="mt-4 flex items-center justify-between gap-3 text-[13.5px] font-medium">
        <Trans>Ends after</Trans>
        <select value={days ?? 'none'} onChange={(event) => setDays(event.target.value === 'none' ? null : Number(event.target.value))} className="field w-40 font-normal">
          {lifetimes().map((lifetime) => (
            <option key={lifetime.says} value={lifetime.days ?? 'none'}>
              {lifetime.says}
            </option>
          ))}
        </select>
      </label>
      {error && <ErrorLine text={error} />}
      <button type="submit" className="btn-primary mt-4" disabled={busy}>
        {busy ? t`Creating…` : t`Create link`}
      </button>
    </form>
  )
}

function audiences({ policy, organization }: SharePreview): readonly Option<Audience>[] {
  const members: Option<Audience> = { value: 'members', label: t`Everyone at ${organization}`, says: t`Members, signed in` }
  return policy === 'public' ? [members, { value: 'public', label: t`Anyone with the link`, says: t`No sign-in` }] : [members]
}

type What = 'copy' | 'follows'

const ofConversations = (): readonly Option<What>[] => [
  { value: 'copy', label: t`A copy as it is now`, says: t`Later messages stay private` },
  { value: 'follows', label: t`The conversation as it goes on`, says: t`New messages appear there, too` },
]

const ofDocuments = (): readonly Option<What>[] => [
  { value: 'copy', label: t`A copy of the latest version`, says: t`Later changes stay private` },
  { value: 'follows', label: t`Always the latest version`, says: t`Your changes appear there, too` },
]
