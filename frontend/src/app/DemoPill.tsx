import { t } from '@lingui/core/macro'
import { Trans } from '@lingui/react/macro'
import { FlaskConical } from 'lucide-react'
import { Popover } from 'radix-ui'
import { boot } from '../api/boot'

/** Nobody should take the demo for a model. The label is always visible, and the popover explains how to connect one. */
export function DemoPill() {
  return (
    <Popover.Root>
      <Popover.Trigger className="relative inline-flex min-h-7 shrink-0 after:absolute after:inset-x-0 after:-inset-y-2 pointer-coarse:after:-inset-x-1.5 after:content-[''] items-center gap-1.5 rounded-full bg-warn-soft px-2.5 text-[12px] font-semibold text-warn">
        <FlaskConical className="size-3.5" aria-hidden />
        <span className="@max-[36rem]:hidden"><Trans>Demo: scripted answers</Trans></span>
        <span className="@min-[36rem]:hidden @max-[22rem]:sr-only"><Trans>Demo</Trans></span>
      </Popover.Trigger>
      <Popover.Portal>
        <Popover.Content className="menu rise w-80 p-4 text-[13.5px] text-fg2" align="end" sideOffset={6} aria-label={t`About the demo provider`}>
          <p className="font-semibold text-fg"><Trans>These answers are scripted</Trans></p>
          <p className="mt-1.5"><Trans>No model is called. Everything else is real: documents, versions, programs and history work as they will with a model.</Trans></p>
          <HowToConnect />
        </Popover.Content>
      </Popover.Portal>
    </Popover.Root>
  )
}

function HowToConnect() {
  if (!boot.adminUrl) return <p className="mt-1.5"><Trans>An owner or admin of {boot.organization.name} can connect a real provider.</Trans></p>
  return (
    <>
      <p className="mt-1.5"><Trans>To use a real model, enter a provider’s API key in the admin and make that provider active.</Trans></p>
      <a href={boot.adminUrl} className="btn mt-3">
        <Trans>Open admin</Trans>
      </a>
    </>
  )
}
