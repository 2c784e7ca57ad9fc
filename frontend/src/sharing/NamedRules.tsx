import { useState } from 'react'
import { plural, t } from '@lingui/core/macro'
import { Trans } from '@lingui/react/macro'
import { MessageSquare, Users } from 'lucide-react'
import { errorMessage } from '../api/client'
import type { NamedReader, ShareChange, ShareItem } from '../api/generated'
import { goToShared, sharedHref } from '../navigation/router'
import { settingsPlace } from '../settings/address'
import { ErrorLine } from '../ui/FormDialog'
import { ReaderPicker } from './ReaderPicker'
import { sharingApi } from './sharingApi'
import { closeShareDialog, putShare } from './store'

/** Of a link for people by name: the comments, what they may do, and who they are. */
export function NamedRules({ share }: { share: ShareItem }) {
  const [people, setPeople] = useState<readonly NamedReader[]>()
  const [error, setError] = useState('')
  const change = (changes: ShareChange) => {
    setError('')
    sharingApi.change(share.id, changes).then(
      (changed) => {
        putShare(changed)
        setPeople(undefined)
      },
      (problem: unknown) => setError(errorMessage(problem)),
    )
  }
  const save = () => (people?.length ? change({ readers: people.map(({ kind, id }) => ({ kind, id })) }) : setError(t`Choose at least one person or group.`))
  return (
    <>
      <div className="mt-1 flex flex-wrap items-center gap-x-2 gap-y-1">
        <CommentsLink share={share} />
        <select value={share.right} aria-label={t`What they may do`} onChange={(event) => change({ right: event.target.value as ShareItem['right'] })} className="rounded-md bg-transparent px-1 py-0.5 text-[12.5px] text-fg2 hover:bg-hover pointer-coarse:min-h-11">
          <option value="read">{t`Read`}</option>
          <option value="comment">{t`Comment`}</option>
          {share.follows && share.hidden.length === 0 && <option value="edit">{t`Edit`}</option>}
        </select>
        {!people && (
          <button type="button" className="ghost" onClick={() => setPeople(share.readers)}>
            <Users className="size-3.5" aria-hidden />
            <Trans>Change people</Trans>
          </button>
        )}
      </div>
      {people && (
        <div className="mb-2">
          <ReaderPicker selection={people} onChange={setPeople} />
          <div className="mt-2 flex gap-2">
            <button type="button" className="btn" onClick={save}><Trans>Save</Trans></button>
            <button type="button" className="ghost" onClick={() => setPeople(undefined)}><Trans>Cancel</Trans></button>
          </div>
        </div>
      )}
      {error && <ErrorLine text={error} />}
    </>
  )
}

function CommentsLink({ share }: { share: ShareItem }) {
  const open = (event: React.MouseEvent) => {
    if (event.metaKey || event.ctrlKey || event.shiftKey) return
    event.preventDefault()
    settingsPlace.set(null)
    closeShareDialog()
    goToShared(share.id)
  }
  return (
    <a href={sharedHref(share.id)} onClick={open} className="ghost -ms-2">
      <MessageSquare className="size-3.5" aria-hidden />
      {share.commentCount ? plural(share.commentCount, { one: '# open comment', other: '# open comments' }) : t`Comments`}
    </a>
  )
}
