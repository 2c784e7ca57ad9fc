import { useEffect, useState } from 'react'
import { t } from '@lingui/core/macro'
import { Trans } from '@lingui/react/macro'
import { errorMessage } from '../api/client'
import { ErrorLine } from '../ui/FormDialog'
import { LinkRow } from './LinkRow'
import { loadShares, useShares } from './store'

/** All links of the member, in the settings. */
export function SharedLinks() {
  const shares = useShares()
  const [error, setError] = useState('')
  useEffect(() => {
    loadShares().catch((problem: unknown) => setError(errorMessage(problem)))
  }, [])
  return (
    <section aria-label={t`Shared links`} className="border-b border-line py-4 text-[13.5px]">
      <h4 className="text-[14px] font-semibold"><Trans>Shared links</Trans></h4>
      <p className="mt-0.5 text-[12.5px] text-fg3">{shares?.length === 0 ? t`You haven’t shared anything by link.` : t`Anyone with a link sees what it shows until it expires or you stop it.`}</p>
      {shares && shares.length > 0 && (
        <ul className="mt-3 grid grid-cols-1 gap-2">
          {shares.map((share) => (
            <LinkRow key={share.id} share={share} showsTitle />
          ))}
        </ul>
      )}
      {error && <ErrorLine text={error} />}
    </section>
  )
}
