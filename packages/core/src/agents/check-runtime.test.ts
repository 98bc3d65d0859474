import { scriptedModel } from '@agentkit/testing'
import { expect, it, vi } from 'vitest'
import { Agent } from '../index.ts'

const sentence = `agentkit needs Node.js 22.18 or later, and this is ${process.versions.node}. Install a newer one: https://nodejs.org`

/** Runs without these functions, which an older Node lacks. */
async function without(functions: readonly [object, string][], work: () => unknown): Promise<void> {
  const kept = functions.map(([owner, name]) => Object.getOwnPropertyDescriptor(owner, name))
  for (const [owner, name] of functions) {
    Object.defineProperty(owner, name, { value: undefined, configurable: true, writable: true })
  }
  try {
    await work()
  } finally {
    functions.forEach(([owner, name], index) => void Object.defineProperty(owner, name, kept[index] ?? {}))
  }
}

it('is refused on a Node that is too old for runs, with the version that is needed', async () => {
  await without([[Promise, 'withResolvers']], () => {
    expect(() => new Agent({ name: 'Clerk', model: scriptedModel([]) })).toThrow(sentence)
  })
})

it('is refused at import on a Node that is too old for our modules', async () => {
  vi.resetModules()
  const missing: [object, string][] = [
    [Promise, 'withResolvers'],
    [process, 'getBuiltinModule'],
    [Array.prototype, 'toReversed'],
  ]
  await without(missing, () => expect(import('./check-runtime.ts')).rejects.toThrow(sentence))
})
