import { expect, test } from 'vitest'
import type { ChatMessage, ChatPart } from '../../api/messageTypes'
import { sourcesOf } from './citedSources'

const source = (url: string, title?: string) => ({ type: 'source-url', sourceId: url, url, title }) as ChatPart
const message = (...parts: ChatPart[]): ChatMessage => ({ id: 'm', role: 'assistant', parts })

test('each page once, in order, by its host and title', () => {
  const text: ChatPart = { type: 'text', text: 'It is.' }
  expect(sourcesOf(message(source('https://www.tea.example/a', 'Tea'), text, source('https://b.example/'), source('https://www.tea.example/a', 'Again')))).toEqual([
    { url: 'https://www.tea.example/a', host: 'tea.example', title: 'Tea' },
    { url: 'https://b.example/', host: 'b.example', title: '' },
  ])
})

test('a title that is only the host is not said twice, and stands for the host where Google leads over its own page', () => {
  const leading = 'https://vertexaisearch.cloud.google.com/grounding-api-redirect/x'
  expect(sourcesOf(message(source('https://tea.example/', 'tea.example'), source(leading, 'tea.example')))).toEqual([
    { url: 'https://tea.example/', host: 'tea.example', title: '' },
    { url: leading, host: 'tea.example', title: '' },
  ])
})
