// What covers the page and is loaded when it is first asked for.
import { Suspense } from 'react'
import { exported } from '../exporting/store'
import { previewed } from '../files/preview'
import { editedTemplate } from '../gallery/store'
import { settingsPlace } from '../settings/address'
import { sharedThing } from '../sharing/store'
import { shortcutsOpen } from '../shortcuts/dialogState'
import { lazyWithRetry } from '../ui/lazyComponent'
import { useStore } from '../ui/store'

const ExportDialog = lazyWithRetry(() => import('../exporting/ExportDialog'))
const PreviewDialog = lazyWithRetry(() => import('../files/PreviewDialog'))
const ShareDialog = lazyWithRetry(() => import('../sharing/ShareDialog'))
const TemplateDialog = lazyWithRetry(() => import('../gallery/TemplateDialog'))
const ShortcutsDialog = lazyWithRetry(() => import('../shortcuts/ShortcutsDialog'))
const SettingsDialog = lazyWithRetry(() => import('../settings/SettingsDialog'))

export function Overlays() {
  const place = useStore(settingsPlace)
  const file = useStore(previewed)
  const shared = useStore(sharedThing)
  const template = useStore(editedTemplate)
  const conversation = useStore(exported)
  const shortcuts = useStore(shortcutsOpen)
  return (
    <Suspense fallback={null}>
      {place && <SettingsDialog place={place} />}
      {shared && <ShareDialog thing={shared} />}
      {conversation && <ExportDialog conversation={conversation} />}
      {template && <TemplateDialog template={template} />}
      {shortcuts && <ShortcutsDialog />}
      {file && <PreviewDialog key={file.id} file={file} />}
    </Suspense>
  )
}
