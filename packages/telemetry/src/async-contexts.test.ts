import { EventEmitter } from 'node:events'
import { createContextKey, ROOT_CONTEXT } from '@opentelemetry/api'
import { expect, it } from 'vitest'
import { asyncContexts } from './async-contexts.ts'

it('binds a listener, which keeps its `this`', () => {
  const contexts = asyncContexts()
  const key = createContextKey('name')
  const emitter = new EventEmitter()
  const seen: unknown[] = []
  function listen(this: unknown, value: string): void {
    seen.push(this === emitter, contexts.active().getValue(key), value)
  }
  emitter.on('data', contexts.bind(ROOT_CONTEXT.setValue(key, 'run'), listen))
  emitter.emit('data', 'a')
  expect(seen).toEqual([true, 'run', 'a'])
  expect(contexts.active()).toBe(ROOT_CONTEXT)
})
