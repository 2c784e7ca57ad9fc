import { useRef, useState } from 'react'
import { t } from '@lingui/core/macro'
import { Trans } from '@lingui/react/macro'
import { Eye, Link2 } from 'lucide-react'
import { errorMessage } from '../api/client'
import type { ShareItem } from '../api/generated'
import { CopyButton } from '../ui/CopyButton'
import { ErrorLine } from '../ui/FormDialog'
import { QuestionDialog } from '../ui/QuestionDialog'
import { FrameRules } from './FrameRules'
import { sharingApi } from './sharingApi'
import { NamedRules } from './NamedRules'
import { dropShare, putShare } from './store'
import { endOf, lifetimes, rulesOf, viewsOf } from './labels'

/** One link: its address, who looked, when it ends. `showsTitle`: says what it shows, too. */
export function LinkRow({ share, showsTitle = false }: { share: ShareItem; showsTitle?: boolean }) {
  const [error, setError] = useState('')
  const [asking, setAsking] = useState(false)
  const stopButton = useRef<HTMLButtonElement>(null)
  const run = (work: Promise<void>): Promise<void> => {
    setError('')
    return work.catch((problem: unknown) => setError(errorMessage(problem)))
  }
  const extend = (value: string) => void run(sharingApi.change(share.id, { days: value === 'none' ? null : Number(value) }).then(putShare))
  const stop = () => run(sharingApi.stop(share.id).then(() => dropShare(share.id)))
  return (
    <li aria-label={t`Link to ${share.title}`} className="rounded-xl border border-line p-3">
      {showsTitle && <p className="mb-1.5 truncate text-[13.5px] font-medium">{share.title}</p>}
      <Address share={share} />
      {share.hasPassword && share.url && <p className="mt-1 text-[12.5px] text-fg2"><Trans>The password is not part of the link. Send it separately.</Trans></p>}
      <p className="mt-2 text-[12.5px] text-fg2">{rulesOf(share)}</p>
      {share.audience === 'named' && <NamedRules share={share} />}
      {share.of === 'artifact' && share.audience === 'public' && !share.hasPassword && <FrameRules share={share} />}
      <div className="mt-1 flex flex-wrap items-center gap-x-3 gap-y-1 text-[12.5px] text-fg2">
        <span className="inline-flex items-center gap-1.5">
          <Eye className="size-3.5 text-fg3" aria-hidden />
          {viewsOf(share, Date.now())}
        </span>
        <select value="" aria-label={t`End of the link`} onChange={(event) => extend(event.target.value)} className={`-mx-1 rounded-md bg-transparent px-1 py-0.5 hover:bg-hover pointer-coarse:min-h-11 ${share.expired ? 'text-bad' : ''}`}>
          <option value="" disabled>
            {endOf(share)}
          </option>
          {lifetimes().map(({ days, says }) => (
            <option key={says} value={days ?? 'none'}>
              {days ? t`${says} from now` : says}
            </option>
          ))}
        </select>
        <button ref={stopButton} type="button" className="ghost -me-2 ms-auto text-bad hover:text-bad" onClick={() => (share.audience === 'named' ? setAsking(true) : void stop())}>
          <Trans>Stop sharing</Trans>
        </button>
      </div>
      {error && <ErrorLine text={error} />}
      {asking && (
        <QuestionDialog
          title={t`Stop sharing?`}
          says={t`Nobody can open the link any more, and the comments there are deleted. This cannot be undone.`}
          action={t`Stop sharing`}
          onAct={stop}
          onClose={() => setAsking(false)}
          focusAfter={() => stopButton.current?.focus()} // it is there when the link could not be stopped
        />
      )}
    </li>
  )
}

function Address({ share }: { share: ShareItem }) {
  if (!share.url) return <p className="text-[12.5px] text-fg2"><Trans>This link still works, but can’t be shown again. To get a new one, stop it and create another.</Trans></p>
  return (
    <div className="flex items-center gap-2">
      <Link2 className="size-4 shrink-0 text-accent" aria-hidden />
      <code className="min-w-0 flex-1 truncate text-[12.5px]" title={share.url}>
        {share.url.replace(/^https?:\/\//, '')}
      </code>
      <CopyButton text={share.url} what="link" word />
    </div>
  )
}
