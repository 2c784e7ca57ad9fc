import { AccountDeletion } from '../profile/AccountDeletion'
import { DataExport } from '../profile/DataExport'
import { RetentionNote } from '../profile/RetentionNote'
import { useProfile } from '../profile/useProfile'
import { CommentMails } from '../sharing/CommentMails'
import { SharedLinks } from '../sharing/SharedLinks'
import { ErrorLine } from '../ui/FormDialog'

/** The member's data: to take away, and to delete. */
export function DataSection() {
  const { profile, setProfile, error } = useProfile()
  return (
    <>
      <DataExport />
      <SharedLinks />
      <CommentMails />
      <RetentionNote />
      {error && <ErrorLine text={error} />}
      {profile && <AccountDeletion profile={profile} onChange={setProfile} />}
    </>
  )
}
