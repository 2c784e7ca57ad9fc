import { Trans, useLingui } from '@lingui/react/macro'
import { CopyPlus, Ellipsis, Pencil, Trash2 } from 'lucide-react'
import { DropdownMenu } from 'radix-ui'
import { canWrite } from '../api/boot'
import { errorMessage } from '../api/client'
import type { TemplateDetail } from '../api/generated'
import { showToast } from '../ui/toasts'
import { galleryApi } from './galleryApi'
import { editTemplate, writes } from './store'
import type { OpenTemplate } from './useTemplate'

type Props = { template: TemplateDetail; open: OpenTemplate; onDeleted(): void }

/** What can be done with a template besides using it. */
export function TemplateMenu({ template, onDeleted }: Props) {
  const { t } = useLingui()
  const { id, own, kind, title, description, category, body, placeholders, publishedVersion } = template
  if (!canWrite) return null
  const edit = (of: string | null) => setTimeout(() => editTemplate({ id: of, mayChangeKind: false, kind, title, description, category, body, placeholders }))
  const remove = () =>
    galleryApi.remove(id).then(
      () => {
        onDeleted()
        writes.set(writes.get() + 1)
        showToast(t`Template deleted.`)
      },
      (problem: unknown) => showToast(errorMessage(problem)),
    )
  return (
    <DropdownMenu.Root modal={false}>
      <DropdownMenu.Trigger className="icon" aria-label={t`Options for ${title}`} title={t`Options for ${title}`}>
        <Ellipsis className="size-4" aria-hidden />
      </DropdownMenu.Trigger>
      <DropdownMenu.Portal>
        <DropdownMenu.Content className="menu rise min-w-48" align="end">
          {own && (
            <DropdownMenu.Item className="menu-item" onSelect={() => edit(id)}>
              <Pencil className="size-4 text-fg3" aria-hidden />
              <Trans>Edit</Trans>
            </DropdownMenu.Item>
          )}
          <DropdownMenu.Item className="menu-item" onSelect={() => edit(null)}>
            <CopyPlus className="size-4 text-fg3" aria-hidden />
            <Trans>Save a copy of my own</Trans>
          </DropdownMenu.Item>
          {own && publishedVersion === null && (
            <DropdownMenu.Item className="menu-item text-bad" onSelect={() => void remove()}>
              <Trash2 className="size-4" aria-hidden />
              <Trans>Delete</Trans>
            </DropdownMenu.Item>
          )}
        </DropdownMenu.Content>
      </DropdownMenu.Portal>
    </DropdownMenu.Root>
  )
}
