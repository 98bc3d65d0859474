import { afterEach, expect, it, vi } from 'vitest'
import { configuredWebhook } from './configured-webhook.ts'

afterEach(() => vi.unstubAllEnvs())

const url = 'https://example.com/hook'

it('needs no table', () => {
  expect(configuredWebhook({})).toBeUndefined()
})

it('takes an address and the variable of its secret', () => {
  vi.stubEnv('HOOK_SECRET', 'a secret')
  expect(configuredWebhook({ url, secret_env: 'HOOK_SECRET' })).toBeTypeOf('function')
})

it.each([
  ['another scheme', { url: 'ftp://example.com', secret_env: 'HOOK_SECRET' }, '`url` is not an address'],
  ['no address', { url: 'example.com', secret_env: 'HOOK_SECRET' }, '`url` is not an address'],
  [
    'a password alone',
    { url: 'https://:hunter2@example.com', secret_env: 'HOOK_SECRET' },
    '`url` has a user or a password',
  ],
  [
    'a password',
    { url: 'https://ann:hunter2@example.com', secret_env: 'HOOK_SECRET' },
    '`url` has a user or a password',
  ],
  ['no secret_env', { url }, '`secret_env` is missing'],
  ['a variable that is not set', { url, secret_env: 'NO_SECRET' }, 'NO_SECRET, which `secret_env` names, is not set'],
  ['a secret instead of its variable', { url, secret_env: 'hunter2' }, 'which `secret_env` names, is not set'],
])('refuses %s, and shows no secret', (_, table, problem) => {
  vi.stubEnv('HOOK_SECRET', 'a secret')
  expect(() => configuredWebhook(table)).toThrow(problem)
  expect(() => configuredWebhook(table)).not.toThrow(/hunter2/)
})
