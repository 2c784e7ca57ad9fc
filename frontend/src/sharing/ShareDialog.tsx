import { useCallback, useEffect, useState } from 'react'
import { t } from '@lingui/core/macro'
import { Trans } from '@lingui/react/macro'
import { X } from 'lucide-react'
import { Dialog } from 'radix-ui'
import { errorMessage } from '../api/client'
import type { SharePreview } from '../api/generated'
import { ErrorLine } from '../ui/FormDialog'
import { NO_REDACTIONS, type Redactions } from './redactions'
import { LinkRow } from './LinkRow'
import { PreviewPanel } from './PreviewPanel'
import { ShareForm } from './ShareForm'
import { sharingApi } from './sharingApi'
import { closeShareDialog, loadShares, useShares, useSharesOf, type SharedThing } from './store'

/** Makes links to one conversation, answer or document, shows those that are there, and what they show. */
export default function ShareDialog({ thing }: { thing: SharedThing }) {
  const [preview, setPreview] = useState<SharePreview>()
  const [hidden, setHidden] = useState(NO_REDACTIONS)
  const [error, setError] = useState('')
  const areLinksLoaded = useShares() !== undefined
  const readPreview = useCallback(async () => setPreview(await sharingApi.preview(thing.of, thing.id)), [thing])
  useEffect(() => {
    Promise.all([readPreview(), loadShares()]).catch((problem: unknown) => setError(errorMessage(problem)))
  }, [readPreview])
  const isLoading = !error && !(preview && areLinksLoaded) // all comes at once, so that nothing moves what is there
  return (
    <Dialog.Root open onOpenChange={(open) => !open && closeShareDialog()}>
      <Dialog.Portal>
        <Dialog.Overlay className="fade fixed inset-0 z-50 bg-scrim" />
        <Dialog.Content
          aria-describedby={undefined}
          onCloseAutoFocus={(event) => event.preventDefault()}
          className="rise fixed left-1/2 top-[6dvh] z-50 flex max-h-[88dvh] min-h-80 w-[min(57.5rem,94vw)] -translate-x-1/2 overflow-hidden rounded-[18px] border border-line bg-raise shadow-dialog max-[759px]:inset-0 max-[759px]:max-h-none max-[759px]:w-full max-[759px]:translate-x-0 max-[759px]:flex-col max-[759px]:overflow-y-auto max-[759px]:rounded-none max-[759px]:border-0"
        >
          <div className="min-w-0 flex-1 overflow-y-auto p-5 max-[759px]:flex-none max-[759px]:overflow-visible">
            <Dialog.Title className="pe-8 text-[16px] font-semibold">{titleOf(thing)}</Dialog.Title>
            {error && <ErrorLine text={error} />}
            {isLoading ? <FormPlaceholder /> : preview && <NewLink thing={thing} preview={preview} hidden={hidden} onChanged={readPreview} />}
            {!isLoading && <Links thing={thing} />}
          </div>
          {/* As tall as the form, whatever it shows: the dialog ends where the form does. */}
          <div className={`w-[23.75rem] shrink-0 [contain:size] max-[759px]:[contain:none] overflow-y-auto border-s border-line bg-side p-5 max-[759px]:w-full max-[759px]:overflow-visible max-[759px]:border-s-0 max-[759px]:border-t ${!isLoading && preview ? '' : 'max-[759px]:hidden'}`}>
            {isLoading ? <PreviewPlaceholder /> : preview && <PreviewPanel preview={preview} hidden={hidden} onHide={setHidden} />}
          </div>
          <Dialog.Close className="icon absolute end-2.5 top-2.5" aria-label={t`Close`} title={t`Close`}>
            <X className="size-4" aria-hidden />
          </Dialog.Close>
        </Dialog.Content>
      </Dialog.Portal>
    </Dialog.Root>
  )
}

/** As tall as the form of a conversation, so that the dialog keeps its size when that comes. */
function FormPlaceholder() {
  return (
    <div role="status" aria-label={t`Loading what is shared`} className="mt-4 grid min-h-[465px] content-start gap-2">
      <div className="skeleton h-4 w-28" />
      <div className="skeleton h-45" />
      <div className="skeleton mt-3 h-4 w-28" />
      <div className="skeleton h-30" />
      <div className="skeleton mt-2 h-8" />
      <div className="skeleton mt-2 h-8 w-24" />
    </div>
  )
}

function PreviewPlaceholder() {
  return (
    <div aria-hidden className="grid gap-3">
      <div className="skeleton h-4 w-36" />
      <div className="skeleton h-48" />
    </div>
  )
}

function titleOf({ of }: SharedThing): string {
  if (of === 'answer') return t`Share this answer`
  return of === 'artifact' ? t`Share this document` : t`Share this conversation`
}

function NewLink({ thing, preview, hidden, onChanged }: { thing: SharedThing; preview: SharePreview; hidden: Redactions; onChanged(): Promise<void> }) {
  if (preview.policy === 'off') return <p className="mt-3 text-[14px] text-fg2"><Trans>{preview.organization} doesn’t allow sharing by link. An admin can change that.</Trans></p>
  if (preview.pieces.length === 0) return <p className="mt-3 text-[14px] text-fg2"><Trans>There is nothing to share yet. Wait for the first answer.</Trans></p>
  return <ShareForm thing={thing} preview={preview} hidden={hidden} onChanged={onChanged} />
}

function Links({ thing }: { thing: SharedThing }) {
  const shares = useSharesOf(thing.id)
  if (shares.length === 0) return null
  return (
    <section aria-label={t`Links`} className="mt-5">
      <h3 className="text-[13px] font-medium text-fg2">{shares.length === 1 ? t`Shared by this link` : t`Shared by these links`}</h3>
      <ul className="mt-1.5 grid grid-cols-1 gap-2">
        {shares.map((share) => (
          <LinkRow key={share.id} share={share} />
        ))}
      </ul>
    </section>
  )
}
