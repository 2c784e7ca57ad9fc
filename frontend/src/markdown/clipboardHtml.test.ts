import { expect, test } from 'vitest'
import { clipboardHtml, isOwnCopy } from './clipboardHtml'

const inside = (text: string): string => clipboardHtml(text).replace(/^<div [^>]*>|<\/div>$/g, '').trim()

test.each([
  ['# Tea\n\n*Green* & **black**', '<h1>Tea</h1>\n<p><em>Green</em> &amp; <strong>black</strong></p>'],
  ['[a](https://a.test/?b&c)', '<p><a href="https://a.test/?b&amp;c">a</a></p>'],
  ['[a](/o/acme/) [b](javascript:x) [c](data:text/html,x)', '<p>a b c</p>'],
  ['![a "cup"](https://a.test/1.png)', '<p><a href="https://a.test/1.png">a &quot;cup&quot;</a></p>'],
  ['<img src=x onerror=alert(1)>', '&lt;img src=x onerror=alert(1)&gt;'],
  ['so <b>bold</b>', '<p>so &lt;b&gt;bold&lt;/b&gt;</p>'],
  ['$a<b$', '<p>$a&lt;b$</p>'],
  ['$$\na<b\n$$', '<p>$$\na&lt;b\n$$</p>'],
])('%s', (text, html) => {
  expect(inside(text)).toBe(html)
})

test('a table and a list of tasks stay what they are', () => {
  expect(inside('| a | b |\n|---|--:|\n| 1 | 2 |')).toContain('<td align="right">2</td>')
  const tasks = inside('- [x] boil\n- [ ] pour')
  expect(tasks).toContain('<li>☑ boil</li>')
  expect(tasks).toContain('<li>☐ pour</li>')
})

test('the own editor knows it', () => {
  expect(isOwnCopy(clipboardHtml('tea'))).toBe(true)
  expect(isOwnCopy('<p>tea</p>')).toBe(false)
})
