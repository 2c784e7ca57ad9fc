// How kinds and states are called and drawn.
import type { MessageDescriptor } from '@lingui/core'
import { msg } from '@lingui/core/macro'
import { Code2, FileText, Sheet, TextCursorInput, Workflow, type LucideIcon } from 'lucide-react'
import type { PlaceholderItem, TemplateItem, TemplateKind } from '../api/generated'

type KindLabels = { readonly one: MessageDescriptor; readonly many: MessageDescriptor; readonly icon: LucideIcon }

export const KINDS: Readonly<Record<TemplateKind, KindLabels>> = {
  text: { one: msg`Document`, many: msg`Documents`, icon: FileText },
  python: { one: msg`Program`, many: msg`Programs`, icon: Code2 },
  mermaid: { one: msg`Diagram`, many: msg`Diagrams`, icon: Workflow },
  sheet: { one: msg`Sheet`, many: msg`Sheets`, icon: Sheet },
  prompt: { one: msg`Prompt`, many: msg`Prompts`, icon: TextCursorInput },
}
export const KIND_NAMES = Object.keys(KINDS) as readonly TemplateKind[]
export const isTemplateKind = (kind: string): kind is TemplateKind => Object.hasOwn(KINDS, kind)

export const STATES: Readonly<Record<TemplateItem['state'], MessageDescriptor>> = {
  private: msg`Private`,
  in_review: msg`In review`,
  published: msg`Published`,
  withdrawn: msg`Withdrawn`,
}

export const FIELD_KINDS: Readonly<Record<PlaceholderItem['kind'], MessageDescriptor>> = {
  text: msg`Text`,
  long_text: msg`Long text`,
  choice: msg`Choice`,
  number: msg`Number`,
  date: msg`Date`,
}
