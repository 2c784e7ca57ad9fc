import { useEffect, useState } from 'react'
import { plural, t } from '@lingui/core/macro'
import { Trans } from '@lingui/react/macro'
import { boot } from '../api/boot'
import { errorMessage } from '../api/client'
import type { Retention } from '../api/generated'
import { fullDate } from '../language/formats'
import { ErrorLine } from '../ui/FormDialog'
import { profileApi } from './profileApi'

/** How long the organization keeps conversations and files. */
export function RetentionNote() {
  const [rule, setRule] = useState<Retention>()
  const [error, setError] = useState('')
  useEffect(() => {
    profileApi.retention().then(setRule, (problem: unknown) => setError(errorMessage(problem)))
  }, [])
  return (
    <section aria-label={t`How long things are kept`} className="border-b border-line py-4 text-[13px]">
      <h4 className="text-[14px] font-semibold"><Trans>How long things are kept</Trans></h4>
      {rule && (
        <ul className="mt-1 grid list-disc gap-1 ps-5 text-fg2">
          {linesOf(rule).map((line) => (
            <li key={line}>{line}</li>
          ))}
        </ul>
      )}
      {error && <ErrorLine text={error} />}
    </section>
  )
}

function linesOf({ conversationDays, fileDays, deletedDays, beginsAt }: Retention): string[] {
  const lines = [
    conversationDays === null
      ? t`${boot.organization.name} keeps your chats until you delete them.`
      : plural(conversationDays, {
          one: 'Chats that nobody has changed for # day are deleted for good. Pinned chats and chats with an open shared link stay.',
          other: 'Chats that nobody has changed for # days are deleted for good. Pinned chats and chats with an open shared link stay.',
        }),
  ]
  if (fileDays !== null)
    lines.push(plural(fileDays, { one: 'Files in chats are deleted after # day, unless the chat is pinned or shared.', other: 'Files in chats are deleted after # days, unless the chat is pinned or shared.' }))
  if (beginsAt !== null) lines.push(t`This begins on ${fullDate(beginsAt, 'long')}.`)
  lines.push(plural(deletedDays, { one: 'What you delete is erased for good after # day.', other: 'What you delete is erased for good after # days.' }))
  return lines
}
