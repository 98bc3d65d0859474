import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { scriptedModel } from '@agentkit/testing'
import { expect, it } from 'vitest'
import { Agent } from '../index.ts'

const sentence = `agentkit needs Node.js 22.18 or later, and this is ${process.versions.node}. Install a newer one: https://nodejs.org`

it('is refused on a Node that is too old for runs, with the version that is needed', () => {
  const { withResolvers } = Promise
  Object.defineProperty(Promise, 'withResolvers', { value: undefined, configurable: true, writable: true })
  try {
    expect(() => new Agent({ name: 'Clerk', model: scriptedModel([]) })).toThrow(sentence)
  } finally {
    Object.defineProperty(Promise, 'withResolvers', { value: withResolvers, configurable: true, writable: true })
  }
})

it('is refused at import on a Node that is too old for our modules', async () => {
  // In a process of its own: a module whose import has failed would fail for other tests too.
  const { href } = new URL('../index.ts', import.meta.url)
  const script = `Promise.withResolvers = process.getBuiltinModule = Array.prototype.toReversed = undefined
    await import(${JSON.stringify(href)}).catch((error) => console.log(error.message))`
  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', script])
  expect(stdout.trim()).toBe(sentence)
})
