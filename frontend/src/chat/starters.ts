import type { MessageDescriptor } from '@lingui/core'
import { msg } from '@lingui/core/macro'
import type { PageStarter } from '../api/generated'

type StarterTexts = { readonly title: MessageDescriptor; readonly hint: MessageDescriptor; readonly text: MessageDescriptor }

/** What a new chat offers. `text` is sent, `hint` says what comes of it. */
export const STARTER_WORDS: Record<PageStarter['picture'], StarterTexts> = {
  document: {
    title: msg`Write a market brief`,
    hint: msg`One page with a table and a chart, ready to send`,
    text: msg`Write a one-page market brief about green tea in Europe, with a table and a chart.`,
  },
  plot: {
    title: msg`Plot our stock`,
    hint: msg`A Python program that runs here and draws`,
    text: msg`Write a Python program that plots our tea stock over twelve weeks.`,
  },
  sequence: {
    title: msg`Draw the sign-in flow`,
    hint: msg`A sequence diagram you can edit`,
    text: msg`Draw a sequence diagram of how somebody signs in with a passkey.`,
  },
  sources: {
    title: msg`Check a claim`,
    hint: msg`An answer with sources you can open`,
    text: msg`Search the web: is green tea really brewed cooler than black tea?`,
  },
}
