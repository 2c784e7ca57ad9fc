import { FileImage, FileSpreadsheet, FileText } from 'lucide-react'
import type { FileItem } from '../api/generated'

export function FileIcon({ kind }: { kind: FileItem['kind'] | undefined }) {
  const Icon = kind === 'image' ? FileImage : kind === 'office' ? FileSpreadsheet : FileText
  return (
    <span className="grid size-10 shrink-0 place-items-center rounded-lg bg-hover text-fg2">
      <Icon className="size-5" aria-hidden />
    </span>
  )
}
