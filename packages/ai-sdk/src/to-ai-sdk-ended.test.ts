import { Agent, AgentKitError, type Model } from '@agentkit/core'
import { scriptedModel } from '@agentkit/testing'
import { APICallError } from '@ai-sdk/provider'
import * as ai7 from 'ai'
import { describe, expect, it, vi } from 'vitest'
import { clerk, look, versions, weather, withoutPrintedWarnings } from './__fixtures__/clerk.ts'
import { toAISDK } from './index.ts'

withoutPrintedWarnings()

describe.each(versions)('an agent as a model of `ai` %s', (_version, ai) => {
  it('ends the run when the call is aborted', async () => {
    const { promise: ended, resolve } = Promise.withResolvers<string>()
    const slow: Model = {
      id: 'own/slow',
      async *stream(_request, signal) {
        yield { type: 'text-delta', text: 'Hm' }
        await new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)))
      },
    }
    const agent = new Agent({ name: 'Clerk', functions: [], model: slow, hooks: {} })
    const controller = new AbortController()
    const onAbort = vi.fn(() => resolve('aborted'))
    const result = ai.streamText({ model: toAISDK(agent), prompt: 'Hi', abortSignal: controller.signal, onAbort })
    for await (const part of result.fullStream) if (part.type === 'text-delta') controller.abort()
    expect(await ended).toBe('aborted')
    const signal = AbortSignal.timeout(10)
    const call = ai.generateText({ model: toAISDK(agent), prompt: 'Hi', abortSignal: signal })
    await expect(call).rejects.toMatchObject({ name: 'TimeoutError' })
    const early = ai.generateText({ model: toAISDK(agent), prompt: 'Hi', abortSignal: AbortSignal.abort() })
    await expect(early).rejects.toMatchObject({ name: 'AbortError' })
  })

  it.each<[string, AgentKitError, number]>([
    ['once', new AgentKitError('auth', 'The key is wrong.', { status: 401 }), 1],
    ['again', new AgentKitError('overloaded', 'Busy.', { status: 503, retryAfterMs: 1 }), 2],
  ])('fails with an error that the AI SDK tries %s', async (_how, error, calls) => {
    const fail = (): never => {
      throw error
    }
    for (const call of ['generateText', 'streamText'] as const) {
      const { agent, model } = clerk([fail, 'It works.'], [])
      const options = { model: toAISDK(agent), prompt: 'Hi', maxRetries: 1, onError: () => {} }
      const text = Promise.resolve(ai[call](options)).then((result) => result.text)
      if (calls === 2) expect(await text).toBe('It works.')
      else await expect(text).rejects.toThrow()
      expect(model.requests).toHaveLength(calls)
    }
  })

  it('is not tried again after a tool was called', async () => {
    const fail = (): never => {
      throw new AgentKitError('overloaded', 'Busy.')
    }
    const { agent, model } = clerk([look, fail, 'It works.'])
    const failed = await ai.generateText({ model: toAISDK(agent), prompt: 'Hi' }).catch((error: unknown) => error)
    expect(APICallError.isInstance(failed)).toBe(true)
    expect(failed).toMatchObject({
      isRetryable: false,
      data: { code: 'overloaded', runId: expect.any(String) },
      message: 'Busy.',
    })
    expect(model.requests).toHaveLength(2)
  })

  it('reports a failure in the middle of a stream as an error part', async () => {
    const fail = (): never => {
      throw new AgentKitError('provider-error', 'It broke.')
    }
    const { agent } = clerk([look, fail])
    const errors: unknown[] = []
    const result = ai.streamText({
      model: toAISDK(agent),
      prompt: 'Hi',
      onError: ({ error }) => void errors.push(error),
    })
    await result.consumeStream()
    expect(errors).toMatchObject([{ name: 'AI_APICallError', message: 'It broke.' }])
  })

  it('ends with `length` when its limits end it, and fails when it has no text', async () => {
    const turns = Array.from({ length: 4 }, () => look)
    const model = scriptedModel(turns)
    const talking = new Agent({ name: 'Clerk', functions: [weather], model, maxSteps: 2 })
    expect((await ai.generateText({ model: toAISDK(talking), prompt: 'Hi' })).finishReason).toBe('length')
    const silent = scriptedModel(turns.map(({ toolCalls }) => ({ toolCalls })))
    const agent = new Agent({ name: 'Clerk', functions: [weather], model: silent, maxSteps: 2 })
    await expect(ai.generateText({ model: toAISDK(agent), prompt: 'Hi' })).rejects.toMatchObject({
      data: { code: 'max-steps' },
    })
  })

  it('refuses a conversation that does not end with the user', async () => {
    const { agent } = clerk(['Hello.'], [])
    const messages = [{ role: 'assistant' as const, content: 'Hello.' }]
    const call = ai.generateText({ model: toAISDK(agent), messages })
    await expect(call).rejects.toMatchObject({ isRetryable: false, data: { code: 'invalid-argument' } })
  })
})

describe('a step that is tried again', () => {
  const broken = { text: 'Half', fail: new AgentKitError('network', 'Cut.') }
  function flaky(): Agent {
    let calls = 0
    const model: Model = {
      id: 'own/flaky',
      async *stream() {
        yield { type: 'text-delta', text: ++calls === 1 ? broken.text : 'Whole.' }
        if (calls === 1) throw broken.fail
        const content = [{ type: 'text' as const, text: 'Whole.' }]
        yield { type: 'finish', reason: 'stop', usage: {}, message: { role: 'assistant', content } }
      },
    }
    return new Agent({ name: 'Clerk', functions: [], model, retry: { firstWaitMs: 0 } })
  }

  it('leaves nothing in an answer that is not streamed', async () => {
    expect((await ai7.generateText({ model: toAISDK(flaky()), prompt: 'Hi' })).text).toBe('Whole.')
  })

  it('is a paragraph of its own in a stream, which cannot take anything back', async () => {
    expect(await ai7.streamText({ model: toAISDK(flaky()), prompt: 'Hi' }).text).toBe('Half\n\nWhole.')
  })
})
