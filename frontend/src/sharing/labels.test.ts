import { describe, expect, it } from 'vitest'
import type { ShareItem } from '../api/generated'
import { contentsOf, endOf, frameHtml, rulesOf, viewsOf } from './labels'

const NOW = Date.parse('2026-11-23T12:00:00Z')
const share = (more: Partial<ShareItem>): ShareItem => ({
  id: 's1',
  title: 'Tea',
  of: 'conversation',
  targetId: 'c1',
  follows: false,
  version: null,
  audience: 'members',
  right: 'read',
  readers: [],
  hasPassword: false,
  isListed: false,
  hidden: [],
  hidesKeys: false,
  frameOrigins: [],
  commentCount: 0,
  url: 'https://parley.example/s/x/',
  createdAt: '2026-11-23T10:00:00Z',
  expiresAt: null,
  expired: false,
  viewCount: 0,
  lastViewedAt: null,
  ...more,
})

describe('the words of a link', () => {
  it('are HTML that a title cannot break out of', () => {
    expect(frameHtml(share({ title: '"><script>' }))).toBe('<iframe src="https://parley.example/s/x/frame/" title="&quot;>&lt;script>" width="100%" height="480" loading="lazy"></iframe>')
  })
  it('say when it ends', () => {
    expect(endOf(share({}))).toBe('Never expires')
    expect(endOf(share({ expiresAt: '2026-12-22T12:00:00Z' }))).toBe('Ends on 22 December 2026')
    expect(endOf(share({ expiresAt: '2026-10-22T12:00:00Z', expired: true }))).toBe('Expired on 22 October 2026')
  })
  it('say how often it was opened', () => {
    expect(viewsOf(share({}), NOW)).toBe('Not opened yet')
    expect(viewsOf(share({ viewCount: 1, lastViewedAt: '2026-11-23T11:50:00Z' }), NOW)).toBe('Opened once, last 10 min ago')
    expect(viewsOf(share({ viewCount: 14, lastViewedAt: '2026-11-23T11:50:00Z' }), NOW)).toBe('Opened 14 times, last 10 min ago')
  })
  it('say who opens it and what it shows', () => {
    expect(rulesOf(share({}))).toBe('Members only · a copy')
    expect(rulesOf(share({ audience: 'public', follows: true }))).toBe('Anyone with the link · always the latest')
    expect(rulesOf(share({ of: 'artifact', version: 2 }))).toBe('Members only · version 2')
    expect(rulesOf(share({ audience: 'public', hasPassword: true }))).toBe('Anyone with the password · a copy')
    expect(rulesOf(share({ hidden: ['a@b.example'], hidesKeys: true }))).toBe('Members only · a copy · 1 text hidden · keys hidden')
    expect(rulesOf(share({ audience: 'named', readers: [{ kind: 'member', id: 'm1', name: 'Ada' }] }))).toBe('Ada · a copy')
    expect(rulesOf(share({ audience: 'named', right: 'edit', follows: true, readers: [{ kind: 'member', id: 'm1', name: 'Ada' }] }))).toBe('Ada · can comment and edit · always the latest')
  })
  it('count what it shows, and the files that stay private', () => {
    const counts = (messageCount: number, artifactCount: number, fileCount: number) => contentsOf({ messageCount, artifactCount, fileCount })
    expect([counts(1, 0, 0), counts(2, 1, 1), counts(0, 1, 2)]).toEqual(['1 message', '2 messages, 1 document, 1 file not shared', '1 document, 2 files not shared'])
  })
})
