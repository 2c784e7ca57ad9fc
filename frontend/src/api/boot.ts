// The data that the server puts into the page (docs/protocol.md, "Pages").
import type { Boot } from './generated'

export const boot = JSON.parse(document.getElementById('boot')?.textContent ?? '{}') as Boot

export const canWrite = boot.role !== 'viewer' && boot.role !== 'auditor'
