import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { Agent, memorySessions, tool } from '@agentkit/core'
import { scriptedModel } from '@agentkit/testing'
import { expect, it } from 'vitest'
import { chatRequest, validFields } from '../__fixtures__/requests.ts'
import { createApp } from '../create-app.ts'

it.each([
  ['ends when its client leaves', validFields],
  ['is resumable', { ...validFields, resumable: 'true' }],
])('an open stream keeps nothing of its request, where the run %s', async (_, fields) => {
  setFlagsFromString('--expose-gc')
  const collect: () => void = runInNewContext('gc')
  const waiting = Promise.withResolvers<void>()
  const model = scriptedModel([{ toolCalls: [{ name: 'wait', input: {} }] }, 'Hello.'])
  const input = { type: 'object', properties: {} }
  const wait = tool({ name: 'wait', description: 'Waits.', input, execute: () => waiting.promise })
  const app = createApp(new Agent({ name: 'Slow', functions: [wait], model, sessions: memorySessions() }), {
    log: () => {},
  })
  const requests: WeakRef<Request>[] = []
  const ask = async (): Promise<ReadableStreamDefaultReader<Uint8Array>> => {
    const headers = { accept: 'text/event-stream' }
    const request = new Request('http://127.0.0.1:8000/api/v1/chat', chatRequest(fields, headers))
    requests.push(new WeakRef(request))
    const { body } = await app.fetch(request)
    return (body as ReadableStream<Uint8Array>).getReader() // a stream of events has a body
  }
  const reader = await ask()
  await reader.read()
  for (let turns = 0; turns < 100 && requests[0]?.deref(); turns++) {
    await new Promise(setImmediate)
    collect()
  }
  expect(requests[0]?.deref()).toBeUndefined()
  waiting.resolve()
  while (!(await reader.read()).done);
})
