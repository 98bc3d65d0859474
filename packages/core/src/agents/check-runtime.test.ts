import { scriptedModel } from '@agentkit/testing'
import { expect, it } from 'vitest'
import { Agent } from '../index.ts'

it('is refused on a Node that is too old for runs, with the version that is needed', () => {
  const { withResolvers } = Promise
  Object.defineProperty(Promise, 'withResolvers', { value: undefined, configurable: true, writable: true })
  try {
    expect(() => new Agent({ name: 'Clerk', model: scriptedModel([]) })).toThrow(
      `agentkit needs Node.js 22.18 or later, and this is ${process.versions.node}. Install a newer one: https://nodejs.org`,
    )
  } finally {
    Object.defineProperty(Promise, 'withResolvers', { value: withResolvers, configurable: true, writable: true })
  }
})
