import { expect, it } from 'vitest'
import { type AnswerFormat, negotiate } from './accept.ts'

it.each<[string | undefined, AnswerFormat | undefined]>([
  [undefined, 'text/plain'],
  ['', 'text/plain'],
  ['*/*', 'text/plain'],
  ['text/plain', 'text/plain'],
  ['application/json', 'application/json'],
  ['Application/JSON; charset=utf-8', 'application/json'],
  ['text/event-stream', 'text/event-stream'],
  ['application/json, text/plain, */*', 'application/json'],
  ['text/plain;q=0.5, application/json;q=0.9', 'application/json'],
  ['text/plain; q=0.9, */*; q=0.1', 'text/plain'],
  ['text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8', 'text/plain'],
  ['application/*', 'application/json'],
  ['text/*', 'text/plain'],
  ['*/*, text/plain;q=0', 'application/json'],
  ['*/*;q=0.1, text/event-stream;q=0.2', 'text/event-stream'],
  ['application/json;q=nonsense', 'application/json'],
  ['image/png', undefined],
  ['*/*;q=0', undefined],
  ['text/plain;q=0', undefined],
  [',,;;', undefined],
])('%s → %s', (accept, format) => {
  expect(negotiate(accept, 'text/plain')).toBe(format)
})

it("answers in the route's default format when the client accepts any", () => {
  expect(negotiate('*/*;q=0.8', 'text/event-stream')).toBe('text/event-stream')
  expect(negotiate('text/*', 'text/event-stream')).toBe('text/event-stream')
})
