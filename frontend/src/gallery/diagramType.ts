export type DiagramPicture = 'flow' | 'sequence' | 'gantt' | 'states' | 'tables' | 'circle'

const BY_TYPE: readonly [RegExp, DiagramPicture][] = [
  [/^(sequenceDiagram|journey|zenuml)/, 'sequence'],
  [/^(gantt|timeline|kanban)/, 'gantt'],
  [/^stateDiagram/, 'states'],
  [/^(erDiagram|classDiagram)/, 'tables'],
  [/^(pie|quadrantChart|xychart|radar)/, 'circle'],
]

/** The kind of picture that a diagram has, by its first line that is no comment. */
export function diagramType(code: string): DiagramPicture {
  const first = code.split('\n').find((line) => line.trim() && !/^\s*(%%|---)/.test(line))?.trim() ?? ''
  return BY_TYPE.find(([form]) => form.test(first))?.[1] ?? 'flow'
}
