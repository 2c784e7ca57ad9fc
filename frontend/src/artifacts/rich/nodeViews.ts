// Parts of the document that are more than text: the box of a task, and what stays Markdown.
import { t } from '@lingui/core/macro'
import type { Node } from 'prosemirror-model'
import type { EditorView, NodeView, NodeViewConstructor } from 'prosemirror-view'

/** An item of a list. A task has a box before its text. */
class ItemView implements NodeView {
  readonly dom = document.createElement('li')
  readonly contentDOM = document.createElement('div')
  private readonly box = document.createElement('input')

  constructor(node: Node, view: EditorView, position: () => number | undefined) {
    this.box.type = 'checkbox'
    this.box.contentEditable = 'false'
    this.box.addEventListener('change', () => {
      const at = position()
      if (at !== undefined) view.dispatch(view.state.tr.setNodeAttribute(at, 'checked', this.box.checked))
    })
    this.dom.append(this.contentDOM)
    this.show(node)
  }

  update(node: Node): boolean {
    if (node.type.name !== 'list_item') return false
    this.show(node)
    return true
  }

  ignoreMutation(mutation: { readonly target: globalThis.Node }): boolean {
    return !this.contentDOM.contains(mutation.target)
  }

  stopEvent(event: Event): boolean {
    return event.target === this.box
  }

  private show({ attrs }: Node): void {
    const checked = attrs['checked'] as boolean | null
    this.dom.className = checked === null ? '' : 'task'
    if (checked === null) return this.box.remove()
    this.box.checked = checked
    this.box.ariaLabel = checked ? t`done` : t`open`
    if (!this.box.parentNode) this.dom.prepend(this.box)
  }
}

/** Markdown that the editor shows as it is, under a label that says so. */
class SourceView implements NodeView {
  readonly dom = document.createElement('div')
  readonly contentDOM = document.createElement('code')

  constructor() {
    const label = document.createElement('span')
    label.className = 'rich-source-label'
    label.contentEditable = 'false'
    label.textContent = 'Markdown'
    const text = document.createElement('pre')
    text.spellcheck = false
    text.append(this.contentDOM)
    this.dom.className = 'rich-source-block'
    this.dom.append(label, text)
  }

  ignoreMutation(mutation: { readonly target: globalThis.Node }): boolean {
    return !this.contentDOM.contains(mutation.target)
  }
}

export const nodeViews: Record<string, NodeViewConstructor> = {
  list_item: (node, view, position) => new ItemView(node, view, position),
  source: () => new SourceView(),
}
