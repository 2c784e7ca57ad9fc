import { useRef, useState } from 'react'
import { t } from '@lingui/core/macro'
import { Trans } from '@lingui/react/macro'
import { errorMessage } from '../api/client'
import type { Profile } from '../api/generated'
import { Avatar } from '../ui/Avatar'
import { ErrorLine } from '../ui/FormDialog'
import { profileApi } from './profileApi'

type Props = { profile: Profile; onChange(profile: Profile): void }

/** The picture, saved at once. The server keeps its middle square. */
export function PictureField({ profile, onChange }: Props) {
  const input = useRef<HTMLInputElement>(null)
  const [error, setError] = useState('')
  const run = (work: Promise<Profile>) => {
    setError('')
    work.then(onChange, (problem: unknown) => setError(errorMessage(problem)))
  }
  const remove = () => run(profileApi.removePicture().then(() => ({ ...profile, pictureUrl: null })))
  return (
    <div className="mt-4">
      <div className="flex items-center gap-4">
        <Avatar name={profile.name || profile.email} url={profile.pictureUrl} shape="round" size="large" />
        <button type="button" className="btn" onClick={() => input.current?.click()}>
          {profile.pictureUrl ? t`Change picture` : t`Add picture`}
        </button>
        {profile.pictureUrl && (
          <button type="button" className="ghost" onClick={remove}>
            <Trans>Remove</Trans>
          </button>
        )}
        <input
          ref={input}
          type="file"
          accept="image/png,image/jpeg,image/webp,image/gif"
          aria-label={t`Picture`}
          className="sr-only"
          tabIndex={-1}
          onChange={(event) => {
            const file = event.target.files?.[0]
            if (file) run(profileApi.setPicture(file))
            event.target.value = ''
          }}
        />
      </div>
      {error && <ErrorLine text={error} />}
    </div>
  )
}
