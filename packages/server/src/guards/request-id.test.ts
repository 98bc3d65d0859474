import { AsyncLocalStorage } from 'node:async_hooks'
import { Agent } from '@agentkit/core'
import { setTracer, type Tracer } from '@agentkit/core/internal'
import { scriptedModel } from '@agentkit/testing'
import { expect, it } from 'vitest'
import { createApp } from '../create-app.ts'

it('continues the trace that a request names, also in the run', async () => {
  const current = new AsyncLocalStorage<string | undefined>()
  const tracer: Pick<Tracer, 'start' | 'continueTrace'> = {
    continueTrace: (header, work) => current.run(header('traceparent'), work),
    start(about) {
      if (about.type === 'run') runs.push(current.getStore())
      return { id: '', within: (work) => work(), link() {}, end() {} }
    },
  }
  const runs: (string | undefined)[] = []
  const app = createApp(new Agent({ name: 'Clerk', functions: [], model: scriptedModel(['One.', 'Two.']) }))
  const chat = async (headers: Record<string, string>): Promise<string> => {
    const body = JSON.stringify({ user_id: 'ann', session_id: 's', messages: [{ role: 'user', content: 'Hello' }] })
    const answer = await app.request('/api/v1/chat', {
      method: 'POST',
      headers: { host: 'localhost', 'content-type': 'application/json', ...headers },
      body,
    })
    return answer.text()
  }
  const remove = setTracer(tracer as Tracer) // no header is asked for
  try {
    expect(await chat({ traceparent: '00-1-2-01' })).toBe('One.')
    expect(await chat({})).toBe('Two.')
  } finally {
    remove()
  }
  expect(runs).toEqual(['00-1-2-01', undefined])
})
