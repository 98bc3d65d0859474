import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { Agent } from './agent.ts'

beforeEach(() => {
  vi.stubEnv('LLMPROVIDER_API_KEY', '')
  vi.stubEnv('OPENAI_API_KEY', '')
})
afterEach(() => vi.unstubAllEnvs())

it.each<[string, object | undefined, RegExp]>([
  ['no options', undefined, /needs a name/],
  ['a misspelt option', { modle: 'gpt-5' }, /no option "modle"\. Is "model" meant\?/],
  ['an option of its own', { zzz: 1 }, /no option "zzz"\.$/],
  ['an empty list of models', { model: [] }, /`model` is a name/],
  ['a list of other things', { model: ['gpt-5', 3] }, /`model` is a name/],
  ['a store that is none', { sessions: 5 }, /path of a file, or a SessionStore/],
  ['a context that is none', { sdkContext: {} }, /new SDKContext/],
  ['a flag that is none', { enableMultiModal: 'yes' }, /true or false/],
])('refuses %s with the fix', (_name, options, problem) => {
  const given = options && { name: 'Test', functions: [], ...options }
  expect(() => new Agent(given as never)).toThrow(problem)
})

it.each<[string, unknown, RegExp]>([
  ['a bare function', [function lookUp() {}], /"lookUp" carries no schema/],
  ['functions that are no list', 5, /`functions`: a list/],
])('tells of %s before it asks for a key', (_name, functions, problem) => {
  expect(() => new Agent({ name: 'Test', functions } as never)).toThrow(problem)
})

it('asks for a key when nothing else is wrong', () => {
  expect(() => new Agent({ name: 'Test', functions: [] })).toThrow(expect.objectContaining({ code: 'missing-key' }))
})
