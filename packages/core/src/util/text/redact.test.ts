import { afterEach, expect, it, vi } from 'vitest'
import { redactSecrets } from './redact.ts'

afterEach(() => vi.unstubAllEnvs())

it('removes the values of secret environment variables, but not of others', () => {
  vi.stubEnv('MY_SERVICE_TOKEN', 'correct-horse-battery')
  vi.stubEnv('MY_SERVICE_REGION', 'eu-central-1')
  expect(redactSecrets('correct-horse-battery in eu-central-1')).toBe('[redacted] in eu-central-1')
})

it.each(['sk-proj-abcdefgh12345678', 'Bearer abcdefgh12345678', 'gsk_abcdefgh12345678', 'AIzaabcdefgh12345678'])(
  'removes what looks like a key: %s',
  (secret) => {
    expect(redactSecrets(`Incorrect API key provided: ${secret}.`)).not.toContain('abcdefgh12345678')
  },
)

it.each([
  ['connect postgres://app:correct-horse@db:5432/shop failed', 'connect postgres://app:[redacted]@db:5432/shop failed'],
  ['redis://:correct@horse@cache:6379', 'redis://:[redacted]@cache:6379'],
  ['see http://localhost:3000/ann@example.com', 'see http://localhost:3000/ann@example.com'],
  ['{"url":"http://shop:3000","to":"ann@example.com"}', '{"url":"http://shop:3000","to":"ann@example.com"}'],
  [`['http://shop:3000','ann@example.com']`, `['http://shop:3000','ann@example.com']`],
  ['{"url":"redis://:correct-horse@cache"}', '{"url":"redis://:[redacted]@cache"}'],
  ['git clone ssh://git@example.com:22/shop', 'git clone ssh://git@example.com:22/shop'],
])('removes the password of an address alone: %s', (text, clean) => {
  expect(redactSecrets(text)).toBe(clean)
})

it('removes the secrets that it is given', () => {
  expect(redactSecrets('password is hunter2-hunter2', ['hunter2-hunter2'])).toBe('password is [redacted]')
})

it('removes the whole of a secret that begins with another one', () => {
  vi.stubEnv('A_KEY', 'correct-horse')
  vi.stubEnv('B_KEY', 'correct-horse-battery-staple')
  expect(redactSecrets('it is correct-horse-battery-staple')).toBe('it is [redacted]')
})

it.each(['eyJ-', 'eyJabcdefghij.', 'sk-', 'Bearer ', 'a', '://', '://a:'])(
  'reads a long text of %s once, or the test would not end',
  (word) => {
    expect(redactSecrets(word.repeat(200_000)).length).toBeGreaterThan(0)
  },
)

it('keeps short values of the environment', () => {
  vi.stubEnv('USE_TOKEN', 'true')
  expect(redactSecrets('it is true')).toBe('it is true')
})
