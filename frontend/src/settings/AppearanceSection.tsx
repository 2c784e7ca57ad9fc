import { useId } from 'react'
import { msg, t } from '@lingui/core/macro'
import { Trans } from '@lingui/react/macro'
import { Check, Monitor, Moon, Sun } from 'lucide-react'
import { chooseTextSize, TEXT_SIZES, useTextSize } from '../ui/textSize'
import { chooseTheme, useThemeChoice, type ThemeChoice } from '../ui/theme'
import { choose, useChoices } from '../preferences/choices'
import { LanguageRow } from '../profile/LanguageRow'
import { SettingRow } from '../ui/SettingRow'
import { SwitchRow } from '../ui/SwitchRow'

const THEMES = [
  { value: 'light', label: msg`Light`, icon: Sun },
  { value: 'dark', label: msg`Dark`, icon: Moon },
  { value: 'system', label: msg`Same as the system`, icon: Monitor },
] as const

export function AppearanceSection() {
  return (
    <>
      <Themes />
      <LanguageRow />
      <TextSize />
      <AnswerCost />
      <CodeLigatures />
    </>
  )
}

function Themes() {
  const choice = useThemeChoice()
  const name = useId()
  return (
    <fieldset className="border-b border-line pb-4 pt-2">
      <legend className="pb-2.5 text-[14px] font-medium"><Trans>Theme</Trans></legend>
      <div className="grid grid-cols-3 gap-3 max-[520px]:grid-cols-1">
        {THEMES.map(({ value, label, icon: Icon }) => (
          <label key={value} className="cursor-pointer overflow-hidden rounded-xl border border-line has-[:checked]:border-accent has-[:checked]:ring-1 has-[:checked]:ring-accent has-[:focus-visible]:outline-2 has-[:focus-visible]:outline-offset-2 has-[:focus-visible]:outline-accent">
            <input type="radio" name={name} value={value} checked={choice === value} onChange={() => chooseTheme(value)} className="sr-only" />
            <ThemePicture theme={value} />
            <span className="flex items-center gap-2 px-3 py-2 text-[13px] font-medium">
              <Icon className="size-4 text-fg3" aria-hidden />
              <span className="min-w-0 flex-1">{t(label)}</span>
              {choice === value && <Check className="size-4 text-accent" aria-hidden />}
            </span>
          </label>
        ))}
      </div>
    </fieldset>
  )
}

const LIGHT = { page: '#fdfdfb', side: '#efeeea', box: '#efeeea', first: '#858585', second: '#b5b5b5' }
const DARK = { page: '#16171b', side: '#26272c', box: '#26272c', first: '#8f9094', second: '#5c5d62' }

/** A small page in its colours; half of each for the system's. */
function ThemePicture({ theme }: { theme: ThemeChoice }) {
  const id = useId()
  return (
    <svg viewBox="0 0 200 72" preserveAspectRatio="xMidYMid slice" className="block h-18 w-full border-b border-line max-[520px]:h-14" aria-hidden>
      <clipPath id={id}>
        <path d="M116 0H200V72H84Z" />
      </clipPath>
      <Page colors={theme === 'dark' ? DARK : LIGHT} />
      {theme === 'system' && (
        <g clipPath={`url(#${id})`}>
          <Page colors={DARK} />
        </g>
      )}
    </svg>
  )
}

function Page({ colors }: { colors: typeof LIGHT }) {
  return (
    <>
      <rect width="200" height="72" fill={colors.page} />
      <rect width="32" height="72" fill={colors.side} />
      <rect x="108" y="13" width="76" height="10" rx="5" fill={colors.box} />
      <rect x="45" y="36" width="110" height="5" rx="2.5" fill={colors.first} />
      <rect x="45" y="48" width="84" height="5" rx="2.5" fill={colors.second} />
    </>
  )
}

function TextSize() {
  const size = useTextSize()
  const index = TEXT_SIZES.findIndex(({ value }) => value === size)
  return (
    <div className="border-b border-line pb-4">
      <SettingRow title={t`Text size`} says={t`Of messages and documents, in this browser`} isOpenBelow>
        <span className="flex items-center gap-3">
          <span className="text-[12px]" aria-hidden>
            A
          </span>
          <input
            type="range"
            min={0}
            max={TEXT_SIZES.length - 1}
            step={1}
            value={index}
            aria-label={t`Text size`}
            aria-valuetext={t(TEXT_SIZES[index]?.label ?? TEXT_SIZES[1].label)}
            onChange={(event) => chooseTextSize(TEXT_SIZES[Number(event.target.value)]?.value ?? 'normal')}
            className="w-56 accent-accent pointer-coarse:h-11"
          />
          <span className="text-[18px]" aria-hidden>
            A
          </span>
        </span>
      </SettingRow>
      <div className="md rounded-xl border border-line bg-bg px-4 py-3">
        <p>
          <Trans>Air pays off below 180 kg, when the lots arrive in the same week; above that, take the ship and order <code>nine days</code> earlier.</Trans>
        </p>
      </div>
    </div>
  )
}

function AnswerCost() {
  const { showsCost } = useChoices()
  return <SwitchRow title={t`Cost below answers`} says={t`With the tokens. Model and time are always shown.`} isOn={showsCost} onFlip={() => choose({ showsCost: !showsCost })} />
}

function CodeLigatures() {
  const { codeLigatures } = useChoices()
  const says = (
    <Trans>
      Draw <code>!=</code> and <code>=&gt;</code> as one sign
    </Trans>
  )
  return <SwitchRow title={t`Ligatures in code`} says={says} isOn={codeLigatures} onFlip={() => choose({ codeLigatures: !codeLigatures })} />
}
