import { useRef } from 'react'
import { Trans, useLingui } from '@lingui/react/macro'
import { Download, Ellipsis, FileDown, LayoutTemplate, Pencil, Share2, Sigma } from 'lucide-react'
import { DropdownMenu } from 'radix-ui'
import { canWrite } from '../../api/boot'
import { EXPORT_FORMATS } from '../../api/generated'
import { requestFile } from '../../api/client'
import { downloadBlob, downloadText, fileName, downloadUrl } from '../../browser/download'
import { exportUrl } from '../artifactsApi'
import { saveAsTemplate } from '../../gallery/store'
import { isTemplateKind } from '../../gallery/labels'
import { openShareDialog } from '../../sharing/store'
import type { DisplayedDocument } from '../viewProps'
import { kindOf } from '../kinds'
import { diagramSources, drawnDiagrams } from '../mermaid/drawnDiagrams'
import { tryOrToast } from '../store'
import { escapeFormulas, hasFormula } from '../sheet/formulas'

export function FileMenu({ document, onRename }: { document: DisplayedDocument; onRename(): void }) {
  const { t } = useLingui()
  const { entry } = document
  const kind = kindOf(entry.kind)
  const showsOnSharedPage = entry.kind !== 'image' // pictures aren't shared: the page would be a title alone
  const trigger = useRef<HTMLButtonElement>(null)
  const renames = useRef(false)
  const rename = () => {
    renames.current = true
    setTimeout(onRename)
  }
  /** Keeps the focus in the field of the title. */
  const closed = (event: Event) => {
    if (renames.current) event.preventDefault()
    renames.current = false
  }
  return (
    <DropdownMenu.Root modal={false}>
      <DropdownMenu.Trigger ref={trigger} className="icon" aria-label={t`More`} title={t`More`}>
        <Ellipsis className="size-4" aria-hidden />
      </DropdownMenu.Trigger>
      <DropdownMenu.Portal>
        <DropdownMenu.Content className="menu rise" align="end" sideOffset={6} onCloseAutoFocus={closed}>
          <DropdownMenu.Item className="menu-item" onSelect={() => downloadSource(document)}>
            <Download className="size-4 text-fg3" aria-hidden />
            <Trans>Download</Trans> <span className="ms-auto text-fg3">.{fileName(entry.title, kind.extension).split('.').at(-1)}</span>
          </DropdownMenu.Item>
          {isSheet(document) && <FormulasItem document={document} />}
          {kind.exports.map((format) => (
            <DropdownMenu.Item key={format} className="menu-item" onSelect={() => void exportAs(document, format)}>
              <FileDown className="size-4 text-fg3" aria-hidden />
              <ExportLabel name={EXPORT_FORMATS[format]} />
            </DropdownMenu.Item>
          ))}
          {canWrite && entry.isOwn && showsOnSharedPage && (
            <DropdownMenu.Item className="menu-item" onSelect={() => openShareDialog({ of: 'artifact', id: entry.id, title: entry.title }, trigger.current)}>
              <Share2 className="size-4 text-fg3" aria-hidden />
              <Trans>Share</Trans>
            </DropdownMenu.Item>
          )}
          {canWrite && isTemplateKind(entry.kind) && document.text && (
            <DropdownMenu.Item className="menu-item" onSelect={() => setTimeout(() => saveDocument(document))}>
              <LayoutTemplate className="size-4 text-fg3" aria-hidden />
              <Trans>Save as template</Trans>
            </DropdownMenu.Item>
          )}
          {canWrite && entry.isOwn && (
            <DropdownMenu.Item className="menu-item" onSelect={rename}>
              <Pencil className="size-4 text-fg3" aria-hidden />
              <Trans>Rename</Trans>
            </DropdownMenu.Item>
          )}
        </DropdownMenu.Content>
      </DropdownMenu.Portal>
    </DropdownMenu.Root>
  )
}

const ExportLabel = ({ name }: { name: string }) => <Trans>Export as {name}</Trans>

/** A component of its own, so that the sheet is searched only while the menu is open. */
function FormulasItem({ document }: { document: DisplayedDocument }) {
  if (!hasFormula(document.text ?? '')) return null
  return (
    <DropdownMenu.Item className="menu-item" onSelect={() => downloadSource(document, 'with formulas')}>
      <Sigma className="size-4 text-fg3" aria-hidden />
      <Trans>Download with formulas</Trans> <span className="ms-auto ps-3 text-fg3">.csv</span>
    </DropdownMenu.Item>
  )
}

/** What is on screen becomes the template's text, also when it is not saved yet. */
function saveDocument({ entry, text }: DisplayedDocument): void {
  if (isTemplateKind(entry.kind)) saveAsTemplate(entry.kind, entry.title, text ?? '')
}

const isSheet = ({ entry }: DisplayedDocument): boolean => kindOf(entry.kind).extension === 'csv'

/** Downloads the text on screen, or the file of an image. A sheet's formulas become text, because a spreadsheet would run what a stranger may have written. */
function downloadSource(document: DisplayedDocument, formulas?: 'with formulas'): void {
  const { entry, displayedVersion, text } = document
  const { editable, extension, mime } = kindOf(entry.kind)
  const content = isSheet(document) && !formulas ? escapeFormulas(text ?? '') : (text ?? '')
  if (editable) downloadText(fileName(entry.title, extension), mime, content)
  else downloadUrl(exportUrl(entry.id, 'source', displayedVersion.number))
}

/** The server creates the file from the saved text, so that unsaved text is saved first. Diagrams are drawn here and sent along. */
async function exportAs({ entry, displayedVersion, editing, text }: DisplayedDocument, format: string): Promise<void> {
  await editing?.save()
  const version = editing ? editing.state.get().base : displayedVersion.number
  const sources = (format === 'pdf' || format === 'docx') && entry.kind === 'text' ? diagramSources(text ?? '') : []
  if (!sources.length) return downloadUrl(exportUrl(entry.id, format, version))
  const body = { format, version, diagrams: await drawnDiagrams(sources) }
  await tryOrToast(async () => downloadBlob(fileName(entry.title, format), await requestFile(`artifacts/${entry.id}/export/`, body)))
}
