// One dialog for all that a member decides about themselves.
import type { ComponentType } from 'react'
import type { MessageDescriptor } from '@lingui/core'
import { msg, t } from '@lingui/core/macro'
import { Trans } from '@lingui/react/macro'
import { ChartColumn, Check, ChevronLeft, Code2, HardDrive, KeyRound, MessageSquare, Palette, ShieldCheck, SlidersHorizontal, UserRound, X, type LucideIcon } from 'lucide-react'
import { Dialog } from 'radix-ui'
import { canWrite } from '../api/boot'
import { mediaMatches } from '../browser/useMedia'
import { KeysSection } from '../keys/KeysSection'
import { InstructionsSection } from '../preferences/InstructionsSection'
import { ProfileSection } from '../profile/ProfileSection'
import { TokensSection } from '../tokens/TokensSection'
import { useSavedNote } from '../ui/savedNote'
import { closeSettings, focusOpener, showList, showSection } from './address'
import { AppearanceSection } from './AppearanceSection'
import { ChatSection } from './ChatSection'
import { DataSection } from './DataSection'
import { SecuritySection } from './SecuritySection'
import type { Place, SectionName } from './sections'
import { UsageSection } from './UsageSection'

type Section = { readonly name: SectionName; readonly label: MessageDescriptor; readonly icon: LucideIcon; readonly content: ComponentType }

const ALL: readonly Section[] = [
  { name: 'profile', label: msg`Profile`, icon: UserRound, content: ProfileSection },
  { name: 'appearance', label: msg`Appearance`, icon: Palette, content: AppearanceSection },
  { name: 'chat', label: msg`Chat`, icon: MessageSquare, content: ChatSection },
  { name: 'instructions', label: msg`Instructions`, icon: SlidersHorizontal, content: InstructionsSection },
  { name: 'keys', label: msg`API keys`, icon: KeyRound, content: KeysSection },
  { name: 'tokens', label: msg`API tokens`, icon: Code2, content: TokensSection },
  { name: 'security', label: msg`Security`, icon: ShieldCheck, content: SecuritySection },
  { name: 'usage', label: msg`Usage`, icon: ChartColumn, content: UsageSection },
  { name: 'data', label: msg`Data`, icon: HardDrive, content: DataSection },
]

/** Who can't write has no use for keys or models. */
const SECTIONS = ALL.filter(({ name }) => canWrite || (name !== 'keys' && name !== 'chat'))
const FIRST = ALL[0]!

/** The list and the section fit beside each other. */
const BESIDE = '(min-width: 760px)'

/** The focus begins at the chosen section, where the list of them shows. */
function focusChosen(event: Event): void {
  const tab = (event.currentTarget as HTMLElement).querySelector<HTMLElement>('[aria-current=page]')
  if (!tab?.checkVisibility()) return
  event.preventDefault()
  tab.focus()
}

export default function SettingsDialog({ place }: { place: Place }) {
  const isList = place === 'list'
  const section = SECTIONS.find(({ name }) => name === place) ?? FIRST
  return (
    <Dialog.Root open onOpenChange={(open) => !open && closeSettings()}>
      <Dialog.Portal>
        <Dialog.Overlay className="fade fixed inset-0 z-50 bg-scrim" />
        <Dialog.Content
          aria-describedby={undefined}
          onOpenAutoFocus={focusChosen}
          onCloseAutoFocus={focusOpener}
          className="rise fixed left-1/2 top-1/2 z-50 flex h-[min(44.25rem,92dvh)] w-[min(60rem,94vw)] -translate-x-1/2 -translate-y-1/2 overflow-hidden rounded-[18px] border border-line bg-raise shadow-pop max-[759px]:inset-0 max-[759px]:h-full max-[759px]:w-full max-[759px]:translate-x-0 max-[759px]:translate-y-0 max-[759px]:rounded-none max-[759px]:border-0"
        >
          <div className={`w-54 shrink-0 overflow-y-auto border-e border-line bg-side p-2.5 max-[759px]:w-full max-[759px]:border-0 ${isList ? '' : 'max-[759px]:hidden'}`}>
            <Dialog.Title className="px-2.5 pb-3 pt-2 text-[16px] max-[759px]:pt-3 font-semibold"><Trans>Settings</Trans></Dialog.Title>
            <nav aria-label={t`Settings`}>
              <ul className="space-y-0.5">
                {SECTIONS.map(({ name, label, icon: Icon }) => (
                  <li key={name}>
                    <button
                      type="button"
                      className="side-row min-h-8.5 w-full aria-[current]:bg-press aria-[current]:font-medium aria-[current]:text-fg max-[759px]:aria-[current]:bg-transparent"
                      aria-current={name === section.name ? 'page' : undefined}
                      onClick={() => showSection(name, !mediaMatches(BESIDE))}
                    >
                      <Icon className="size-4" aria-hidden />
                      {t(label)}
                    </button>
                  </li>
                ))}
              </ul>
            </nav>
          </div>
          <SectionPlace key={section.name} section={section} isHidden={isList} />
          <Dialog.Close className="icon absolute end-3 top-3" aria-label={t`Close`} title={t`Close (Esc)`}>
            <X className="size-4.5" aria-hidden />
          </Dialog.Close>
        </Dialog.Content>
      </Dialog.Portal>
    </Dialog.Root>
  )
}

/** `isHidden`: on a narrow screen the list stands in its place. */
function SectionPlace({ section: { name, label, content: Content }, isHidden }: { section: Section; isHidden: boolean }) {
  return (
    <section aria-labelledby={`settings-${name}`} className={`flex min-w-0 flex-1 flex-col ${isHidden ? 'max-[759px]:hidden' : ''}`}>
      <div className="flex items-center gap-2 px-7 pb-2 pe-14 pt-4 max-[759px]:px-3 max-[759px]:pt-3">
        <button type="button" className="icon min-[760px]:hidden" aria-label={t`All settings`} title={t`All settings`} onClick={showList}>
          <ChevronLeft className="size-5" aria-hidden />
        </button>
        <h3 id={`settings-${name}`} className="text-[18px] font-[650] tracking-[-0.02em]">
          {t(label)}
        </h3>
        <SavedNote />
      </div>
      <div className="min-h-0 flex-1 overflow-y-auto px-7 pb-7 pt-1 max-[759px]:px-4">
        <Content />
      </div>
    </section>
  )
}

function SavedNote() {
  const isShown = useSavedNote()
  return (
    <span role="status" className="text-[12.5px] text-fg3">
      {isShown && (
        <span className="fade flex items-center gap-1">
          <Check className="size-3.5 text-ok" aria-hidden />
          <Trans>Saved</Trans>
        </span>
      )}
    </span>
  )
}
