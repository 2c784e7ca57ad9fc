import { expect, test } from 'vitest'
import { withoutActiveHtml } from './activeHtml'

test.each([
  ['A["<img src=x onerror=alert(1)>"]', 'A["‹img src=x onerror=alert(1)>"]'],
  ['A["<b style=color:red onclick=x>y</b>"]', 'A["<b>y</b>"]'],
  ['A["<SVG/onload=x>"]', 'A["‹SVG/onload=x>"]'],
  ['A["<br/onmouseover=x>"]', 'A["<br>"]'],
  ['A["<<img src=x onerror=alert(1)>"]', 'A["<‹img src=x onerror=alert(1)>"]'],
  ['A["<b onclick="a<b">x</b>"]', 'A["‹b onclick="a<b">x</b>"]'],
  ['A["<article onclick=x>"]', 'A["‹article onclick=x>"]'],
  ['A["<x<y/onclick=x>"]', 'A["‹x‹y/onclick=x>"]'],
  ['A["x</script><script>y"]', 'A["x‹/script>‹script>y"]'],
])('active HTML becomes text: %s', (code, safe) => {
  expect(withoutActiveHtml(code)).toBe(safe)
})

test.each(['A <--> B', 'Animal <|-- Duck', '<<interface>> Shape', 'class A {\n <<abstract>>\n}', 'A["one<br>two"]', 'x < a and b > c', '<<script>>', 'A <- satisfies - B', 'A<<->>B', 'State1 <<fork>>'])(
  'the language itself stays: %s',
  (code) => {
    expect(withoutActiveHtml(code)).toBe(code)
  },
)
