import { afterEach, describe, expect, it, vi } from 'vitest'
import { isFetchUntouched } from './untouched-fetch.ts'

const first = Symbol.for('undici.globalDispatcher.1')
const second = Symbol.for('undici.globalDispatcher.2')
const global = globalThis as { [key: symbol]: object | undefined }
// Makes Node put its own dispatcher in its place.
new Headers()
const own = { [first]: global[first], [second]: global[second] }

afterEach(() => {
  vi.unstubAllGlobals()
  Object.assign(globalThis, own)
})

/** npm's undici would set an object of a class with the same name. */
class Agent {
  constructor({ factory }: { factory?: unknown } = {}) {
    if (factory !== undefined && typeof factory !== 'function') throw new TypeError('factory must be a function.')
  }
  dispatch(): boolean {
    return true
  }
}

function withInterceptors(dispatcher: object): object {
  const dispatch = (): boolean => true
  return new Proxy(dispatcher, { get: (target, key) => (key === 'dispatch' ? dispatch : Reflect.get(target, key)) })
}

describe('isFetchUntouched', () => {
  it('is true in an unmodified Node, also after a first fetch', async () => {
    await fetch('data:,')
    expect(own[first] ?? own[second]).toBeDefined()
    expect([isFetchUntouched(), isFetchUntouched()]).toEqual([true, true])
  })

  it.each([
    ['a stub', () => Promise.resolve(new Response())],
    ['a wrapper', (...args: Parameters<typeof fetch>) => fetch(...args)],
    ['native code', fetch.bind(undefined)],
  ])('is false for %s in place of fetch, and true when it is gone', (_name, other) => {
    vi.stubGlobal('fetch', other)
    expect([isFetchUntouched(), isFetchUntouched()]).toEqual([false, false])
    vi.unstubAllGlobals()
    expect(isFetchUntouched()).toBe(true)
  })

  it.each([first, second])('is false for a foreign dispatcher under %s', (key) => {
    const dispatch = (): boolean => true
    for (const dispatcher of [new Agent(), { dispatch }, Object.assign(Object.create(null), { dispatch })]) {
      global[key] = dispatcher
      expect(isFetchUntouched()).toBe(false)
    }
  })

  it("is false for interceptors around Node's dispatcher", () => {
    const key = own[second] ? second : first
    global[key] = withInterceptors(own[key] as object)
    expect(isFetchUntouched()).toBe(false)
  })

  it('is false for another dispatcher class of Node', () => {
    const key = own[second] ? second : first
    const OwnAgent = own[key]?.constructor as typeof Agent
    global[key] = new (class MockAgent extends OwnAgent {})()
    expect(isFetchUntouched()).toBe(false)
  })
})
