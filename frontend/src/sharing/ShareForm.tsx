import { useState } from 'react'
import { errorMessage } from '../api/client'
import type { NewShare, SharePreview } from '../api/generated'
import { ErrorLine } from '../ui/FormDialog'
import { Choice, type Option } from './Choice'
import { sharingApi } from './sharingApi'
import { putShare, type SharedThing } from './store'
import { DEFAULT_DAYS, LIFETIMES } from './words'

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
      <Choice<Audience> legend="Who can open it" name="audience" value={audience} onChange={setAudience} options={audiences(preview)} />
      {preview.policy === 'members' && <p className="mt-1.5 text-[12.5px] text-fg2">{preview.organization} allows links for its members only.</p>}
      <Choice legend="What they see" name="follows" value={follows ? 'follows' : 'copy'} onChange={(value) => setFollows(value === 'follows')} options={thing.of === 'artifact' ? OF_DOCUMENTS : OF_CONVERSATIONS} />
      <label className="mt-4 flex items-center justify-between gap-3 text-[13.5px] font-medium">
        Ends after
        <select value={days ?? 'none'} onChange={(event) => setDays(event.target.value === 'none' ? null : Number(event.target.value))} className="field w-40 font-normal">
          {LIFETIMES.map((lifetime) => (
            <option key={lifetime.says} value={lifetime.days ?? 'none'}>
              {lifetime.says}
            </option>
          ))}
        </select>
      </label>
      {error && <ErrorLine text={error} />}
      <button type="submit" className="btn-primary mt-4" disabled={busy}>
        {busy ? 'Creating…' : 'Create link'}
      </button>
    </form>
  )
}

function audiences({ policy, organization }: SharePreview): readonly Option<Audience>[] {
  const members: Option<Audience> = { value: 'members', label: `Everyone at ${organization}`, says: 'Members, signed in' }
  return policy === 'public' ? [members, { value: 'public', label: 'Anyone with the link', says: 'No sign-in' }] : [members]
}

const OF_CONVERSATIONS = [
  { value: 'copy', label: 'A copy as it is now', says: 'Later messages stay private' },
  { value: 'follows', label: 'The conversation as it goes on', says: 'New messages appear there, too' },
] as const
const OF_DOCUMENTS = [
  { value: 'copy', label: 'A copy of the latest version', says: 'Later changes stay private' },
  { value: 'follows', label: 'Always the latest version', says: 'Your changes appear there, too' },
] as const
