import { useState } from 'react'
import { t } from '@lingui/core/macro'
import { Trans } from '@lingui/react/macro'
import { ApiError, errorMessage } from '../api/client'
import type { NamedReader, NewShare, ShareItem, SharePreview } from '../api/generated'
import { ErrorLine } from '../ui/FormDialog'
import { Choice, type Option } from '../ui/Choice'
import { blockedBy, type Redactions } from './redactions'
import { ReaderPicker } from './ReaderPicker'
import { sharingApi } from './sharingApi'
import { putShare, type SharedThing } from './store'
import { DEFAULT_DAYS, lifetimes } from './labels'

const MIN_PASSWORD = 8

type Audience = NonNullable<NewShare['audience']>
type Right = ShareItem['right']

type Props = { thing: SharedThing; preview: SharePreview; hidden: Redactions; onChanged(): Promise<void> }

/** Makes a link. `hidden`: what its page leaves out. `onChanged`: reads the preview again, because what is shared is not what it shows any more. */
export function ShareForm({ thing, preview, hidden, onChanged }: Props) {
  const [audience, setAudience] = useState<Audience>('members')
  const [chosenFollows, setFollows] = useState(false)
  const [right, setRight] = useState<Right>('read')
  const [isListed, setIsListed] = useState(false)
  const [readers, setReaders] = useState<readonly NamedReader[]>([])
  const [asksPassword, setAsksPassword] = useState(false)
  const [password, setPassword] = useState('')
  const [days, setDays] = useState<number | null>(DEFAULT_DAYS)
  const [busy, setBusy] = useState(false)
  const [error, setError] = useState('')
  const chooseReaders = (selection: readonly NamedReader[]) => {
    setReaders(selection)
    setError('')
  }
  const givenRight = audience === 'named' ? right : 'read'
  const follows = chosenFollows || givenRight === 'edit'
  const blocked = blockedBy(preview.checks, hidden, givenRight === 'edit')
  const hides = givenRight === 'edit' ? {} : { hidden: hidden.texts, hidesKeys: hidden.keys }
  const mayBeListed = preview.policy === 'listed' && audience === 'public' && !asksPassword
  const create = async () => {
    const readerRefs = audience === 'named' ? readers.map(({ kind, id }) => ({ kind, id })) : []
    const locked = audience === 'public' && asksPassword
    if (audience === 'named' && !readerRefs.length) return setError(t`Choose at least one person or group.`)
    if (locked && password.length < MIN_PASSWORD) return setError(t`A password has at least ${MIN_PASSWORD} characters.`)
    setBusy(true)
    setError('')
    try {
      putShare(await sharingApi.create({ of: thing.of, targetId: thing.id, follows, audience, days, right: givenRight, readers: readerRefs, password: locked ? password : null, isListed: mayBeListed && isListed, previewed: preview.state, ...hides }))
      setPassword('')
    } catch (problem) {
      setError(errorMessage(problem))
      if (problem instanceof ApiError && problem.status === 409) await onChanged().catch((unread: unknown) => setError(errorMessage(unread)))
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
      {audience === 'named' && <ReaderPicker selection={readers} onChange={chooseReaders} />}
      {audience === 'named' && <Choice<Right> legend={t`What they may do`} name="right" value={right} onChange={setRight} options={rights(thing.of)} />}
      {audience === 'public' && <Password asks={asksPassword} onAsk={setAsksPassword} value={password} onChange={setPassword} />}
      {thing.of === 'answer' && <p className="mt-4 text-[12.5px] text-fg2"><Trans>They see this answer, its question and its documents as they are now, and nothing else of the conversation.</Trans></p>}
      {thing.of !== 'answer' && <Choice legend={t`What they see`} name="follows" value={follows ? 'follows' : 'copy'} onChange={(value) => setFollows(value === 'follows')} options={shareModes(thing.of).filter(({ value }) => value === 'follows' || givenRight !== 'edit')} />}
      {mayBeListed && <ListedSwitch value={isListed} onChange={setIsListed} />}
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
      {givenRight === 'edit' && hidden.texts.length > 0 && <p className="mt-3 text-[12.5px] text-warn"><Trans>Who may edit sees all, also what you hid.</Trans></p>}
      {blocked && <p role="status" className="mt-3 text-[13px] text-bad">{blocked}</p>}
      {error && <ErrorLine text={error} />}
      <button type="submit" className="btn-primary mt-4" disabled={busy || blocked !== ''}>
        {busy ? t`Creating…` : t`Create link`}
      </button>
    </form>
  )
}

function ListedSwitch({ value, onChange }: { value: boolean; onChange(value: boolean): void }) {
  return (
    <label className="mt-4 flex min-h-7 cursor-pointer items-center gap-2.5 text-[13.5px] font-medium pointer-coarse:min-h-11">
      <input type="checkbox" checked={value} onChange={(event) => onChange(event.target.checked)} className="size-4 accent-accent" />
      <Trans>Search engines may list this page</Trans>
    </label>
  )
}

type PasswordProps = { asks: boolean; onAsk(asks: boolean): void; value: string; onChange(value: string): void }

function Password({ asks, onAsk, value, onChange }: PasswordProps) {
  return (
    <div className="mt-3">
      <label className="flex min-h-7 cursor-pointer items-center gap-2.5 text-[13.5px] font-medium pointer-coarse:min-h-11">
        <input type="checkbox" checked={asks} onChange={(event) => onAsk(event.target.checked)} className="size-4 accent-accent" />
        <Trans>Ask for a password</Trans>
      </label>
      {asks && <input type="text" className="field mt-1.5" aria-label={t`Password of the link`} value={value} maxLength={128} autoComplete="off" spellCheck={false} placeholder={t`At least ${MIN_PASSWORD} characters`} onChange={(event) => onChange(event.target.value)} />}
      {asks && <p className="mt-1.5 text-[12.5px] text-fg2"><Trans>Send it another way than the link. It can’t be shown again.</Trans></p>}
    </div>
  )
}

function audiences({ policy, organization }: SharePreview): readonly Option<Audience>[] {
  const people: Option<Audience> = { value: 'named', label: t`Only people I name`, says: t`Members and groups of ${organization}, signed in` }
  const members: Option<Audience> = { value: 'members', label: t`Everyone at ${organization}`, says: t`Members, signed in` }
  const isOff = policy === 'members'
  return [people, members, { value: 'public', label: t`Anyone with the link`, says: isOff ? t`${organization} allows links for its members only.` : t`No sign-in`, isOff }]
}

function rights(of: SharedThing['of']): readonly Option<Right>[] {
  const read: Option<Right> = { value: 'read', label: t`Read`, says: t`They see what others write about it` }
  const comment: Option<Right> = { value: 'comment', label: t`Comment`, says: of === 'artifact' ? t`They write comments on its versions` : t`They write comments on answers and documents` }
  if (of === 'answer') return [read, comment]
  return [read, comment, { value: 'edit', label: t`Edit`, says: of === 'artifact' ? t`They also save new versions of it` : t`They also save new versions of its documents` }]
}

type ShareMode = 'copy' | 'follows'

const shareModes = (of: SharedThing['of']): readonly Option<ShareMode>[] => (of === 'artifact' ? ofDocuments() : ofConversations())

const ofConversations = (): readonly Option<ShareMode>[] => [
  { value: 'copy', label: t`A copy as it is now`, says: t`Later messages stay private` },
  { value: 'follows', label: t`The conversation as it goes on`, says: t`New messages appear there, too` },
]

const ofDocuments = (): readonly Option<ShareMode>[] => [
  { value: 'copy', label: t`A copy of the latest version`, says: t`Later changes stay private` },
  { value: 'follows', label: t`Always the latest version`, says: t`Your changes appear there, too` },
]
