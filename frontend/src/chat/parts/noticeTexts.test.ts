import { i18n } from '@lingui/core'
import { afterEach, expect, test } from 'vitest'
import { noticeText } from './noticeTexts'

const notice = { code: 'request_refused', level: 'error', text: 'The provider refused the request: no such model.', action: 'retry' } as const
afterEach(() => i18n.loadAndActivate({ locale: 'en', messages: {} }))

test('other languages word a notice by its code, and keep what its sentence says more', () => {
  expect(noticeText(notice)).toEqual({ text: notice.text, details: '' })
  i18n.loadAndActivate({ locale: 'de', messages: {} })
  expect(noticeText(notice)).toEqual({ text: 'The provider refused the request.', details: notice.text })
  expect(noticeText({ ...notice, code: 'new_code' })).toEqual({ text: notice.text, details: '' })
  expect(noticeText({ code: 'loop', level: 'info', text: 'Hint', action: null, details: 'Stop.' })).toEqual({ text: 'The assistant got a hint and tried again.', details: 'Stop.' })
})
