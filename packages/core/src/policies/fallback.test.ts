import { scriptedModel } from '@agentkit/testing'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import type { Model } from '../contracts/model.ts'
import { AgentKitError, type ErrorCode } from '../data/errors.ts'
import { fallbacksFor, firstModel, modelChain, noteFailure, noteSuccess } from './fallback.ts'

const a = scriptedModel([], { id: 't/a' })
const b = scriptedModel([], { id: 't/b' })
const c = scriptedModel([], { id: 't/c' })
const none: ReadonlySet<Model> = new Set()
const failed = (code: ErrorCode, retryable = false): AgentKitError => new AgentKitError(code, 'Down.', { retryable })
const overloaded = failed('overloaded', true)
const nextModel = (...given: Parameters<typeof fallbacksFor>): Model | undefined => fallbacksFor(...given).next
const lastResort = (...given: Parameters<typeof fallbacksFor>): Model | undefined => fallbacksFor(...given).lastResort
const sized = (id: string, contextWindow?: number): Model => {
  return scriptedModel([], { id, ...(contextWindow !== undefined && { info: { contextWindow } }) })
}

describe('the model that takes over', () => {
  const chain = modelChain([a, b, c])

  it.each<[ErrorCode, boolean]>([
    ['rate-limit', true],
    ['overloaded', true],
    ['provider-error', true],
    ['network', true],
    ['timeout', true],
    ['incomplete-stream', true],
    ['malformed-stream', true],
    ['invalid-tool-call', false],
    ['model-not-found', false],
    ['quota', false],
  ])('is the next one after %s (retryable: %s)', (code, retryable) => {
    expect(nextModel(chain, a, failed(code, retryable), none)).toBe(b)
  })

  it.each<ErrorCode>(['auth', 'missing-key', 'bad-request', 'content-filter', 'invalid-config', 'budget', 'aborted'])(
    'is none after %s, which no other model fixes',
    (code) => {
      expect(nextModel(chain, a, failed(code), none)).toBeUndefined()
    },
  )

  it('is the first one after the last, and never one that was tried in this step', () => {
    expect(nextModel(chain, b, overloaded, none)).toBe(c)
    expect(nextModel(chain, c, overloaded, none)).toBe(a)
    expect(nextModel(chain, b, overloaded, new Set([a, b]))).toBe(c)
    expect(nextModel(chain, c, overloaded, new Set([a, b, c]))).toBeUndefined()
  })

  it('is a skipped one before the run fails, but never one that was tried', () => {
    const tired = modelChain([a, b])
    for (let times = 0; times < 3; times++) noteFailure(tired, a, overloaded)
    expect(nextModel(tired, b, overloaded, none)).toBeUndefined()
    expect(lastResort(tired, b, overloaded, none)).toBe(a)
    expect(lastResort(tired, b, overloaded, new Set([a]))).toBeUndefined()
    expect(lastResort(tired, b, failed('auth'), none)).toBeUndefined()
  })

  it('is the next one, whatever its window, after a request that exceeds what the account may send in a minute', () => {
    const [large, small] = [sized('t/large', 2000), sized('t/small', 1000)]
    const error = new AgentKitError('context-overflow', 'Request too large.', { status: 429 })
    expect(nextModel(modelChain([large, small]), large, error, none)).toBe(small)
  })

  it('is none when there is only one model', () => {
    expect(nextModel(modelChain([a]), a, overloaded, none)).toBeUndefined()
  })

  it.each<[number | undefined, number | undefined, boolean]>([
    [1_000, 2_000, true],
    [1_000, 1_000, false],
    [2_000, 1_000, false],
    [undefined, 2_000, false],
    [1_000, undefined, false],
  ])('after an overflow of %s tokens has a larger window: %s (%s)', (window, nextWindow, takesOver) => {
    const [small, next] = [sized('t/small', window), sized('t/next', nextWindow)]
    const found = nextModel(modelChain([small, next]), small, failed('context-overflow'), none)
    expect(found).toBe(takesOver ? next : undefined)
  })

  it('may come after one with too little room, when the context overflowed', () => {
    const [small, tiny, large] = [sized('t/small', 8), sized('t/tiny', 4), sized('t/large', 16)]
    expect(nextModel(modelChain([small, tiny, large]), small, failed('context-overflow'), none)).toBe(large)
  })
})

describe('a model that keeps failing', () => {
  beforeEach(() => void vi.useFakeTimers())
  afterEach(() => void vi.useRealTimers())

  const failing = (times: number, error = overloaded): ReturnType<typeof modelChain> => {
    const chain = modelChain([a, b, c])
    for (let time = 0; time < times; time++) noteFailure(chain, a, error)
    return chain
  }

  it('is skipped after the third failed step in a row, with the reason', () => {
    expect(firstModel(failing(2))).toEqual({ model: a })
    expect(firstModel(failing(3))).toEqual({ model: b, skipped: [a, overloaded] })
  })

  it('is called again after 30 s, and skipped again when it fails', () => {
    const chain = failing(3)
    vi.advanceTimersByTime(29_999)
    expect(firstModel(chain).model).toBe(b)
    vi.advanceTimersByTime(1)
    expect(firstModel(chain).model).toBe(a)
    noteFailure(chain, a, overloaded)
    expect(firstModel(chain).model).toBe(b)
  })

  it('is used normally again once it answers', () => {
    const chain = failing(3)
    noteSuccess(chain, a)
    noteFailure(chain, a, overloaded)
    expect(firstModel(chain)).toEqual({ model: a })
  })

  it('does not take over either', () => {
    const chain = failing(3)
    expect(nextModel(chain, c, overloaded, none)).toBe(b)
    expect(nextModel(chain, b, overloaded, new Set([b, c]))).toBeUndefined()
  })

  it('is not continued with, though it has answered the last step of a run', () => {
    const chain = failing(3)
    expect(firstModel(chain, 't/a')).toMatchObject({ model: b })
    expect(firstModel(chain, 't/c')).toEqual({ model: c })
    expect(firstModel(chain, 't/removed')).toMatchObject({ model: b })
  })

  it('is called when all models are skipped', () => {
    const chain = failing(3)
    for (const model of [b, b, b, c, c, c]) noteFailure(chain, model, overloaded)
    expect(firstModel(chain)).toEqual({ model: a })
  })

  it.each<ErrorCode>(['context-overflow', 'bad-request', 'content-filter', 'budget', 'invalid-config', 'auth'])(
    'is not one whose requests end in %s',
    (code) => {
      expect(firstModel(failing(3, failed(code)))).toEqual({ model: a })
    },
  )

  it('is still called when it is the only one', () => {
    const chain = modelChain([a])
    for (let time = 0; time < 5; time++) noteFailure(chain, a, overloaded)
    expect(firstModel(chain)).toEqual({ model: a })
  })
})
