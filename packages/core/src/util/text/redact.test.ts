import { afterEach, expect, it, vi } from 'vitest'
import { redactSecrets } from './redact.ts'

const pem =
  '-----BEGIN RSA PRIVATE KEY-----\nMIIEowIBAAKCAQEAxyz0123456789+/abcdef\nQUJD==\n-----END RSA PRIVATE KEY-----'

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

it.each([
  [
    'GET https://a.example/v1?page=2&key=abcdef123456&x=1 failed',
    'GET https://a.example/v1?page=2&key=[redacted]&x=1 failed',
  ],
  ['https://a.example/?api_key=abc123def456', 'https://a.example/?api_key=[redacted]'],
  ['https://a.example/?token=abc123de#x', 'https://a.example/?token=[redacted]'],
  [
    'https://b.example/o?X-Amz-Credential=AB12/2026&X-Amz-Signature=9f8a7b6c',
    'https://b.example/o?X-Amz-Credential=[redacted]&X-Amz-Signature=[redacted]',
  ],
  ['Server=db;User Id=sa;Password=hunter2;Timeout=30', 'Server=db;User Id=sa;Password=[redacted];Timeout=30'],
  ['host=db password=hunter2 user=app', 'host=db password=[redacted] user=app'],
  ['{"password":"hunter2","user":"ann"}', '{"password":"[redacted]","user":"ann"}'],
  [String.raw`"{\"client_secret\":\"hunter2-x\"}"`, String.raw`"{\"client_secret\":\"[redacted]\"}"`],
  ['x-api-key: 0123456789abcdef', 'x-api-key: [redacted]'],
  ['aws_secret_access_key = wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY', 'aws_secret_access_key = [redacted]'],
  ['AccountName=shop;AccountKey=Eby8vdM02xNOcqFlqUwJ==', 'AccountName=shop;AccountKey=[redacted]'],
  ['Authorization: Basic YW5uOmh1bnRlcjI=', 'Authorization: Basic [redacted]'],
  ['ASIAABCDEFGH12345678 hf_abcdefghijklmnopqrstuvwx ghs_abcdefghijkl', '[redacted] [redacted] [redacted]'],
  [`bad key ${pem} in file`, 'bad key -----BEGIN RSA PRIVATE KEY-----[redacted]-----END RSA PRIVATE KEY----- in file'],
  [
    JSON.stringify({ key: pem, a: 1 }),
    '{"key":"-----BEGIN RSA PRIVATE KEY-----[redacted]-----END RSA PRIVATE KEY-----","a":1}',
  ],
  [
    `${pem} ${'('.repeat(80)} password=hunter2`,
    `-----BEGIN RSA PRIVATE KEY-----[redacted]-----END RSA PRIVATE KEY----- ${'('.repeat(80)} password=[redacted]`,
  ],
  ['xapp-1-A012BCDEFG', '[redacted]'],
  [pem.slice(0, 60), '-----BEGIN RSA PRIVATE KEY-----[redacted]'],
])('removes a value with the name or the form of a secret: %s', (text, clean) => {
  expect(redactSecrets(text)).toBe(clean)
})

it.each([
  'const token = next()',
  'password: string; apiKey?: string',
  'token = tokens[index1234567890]',
  'password=sha256(salt)',
  'api_key=$API_KEY_2',
  'Unexpected token: abc123 at 7',
  'Invalid page_token: CAUQAA1234567890 and next_token=abc1234567890123',
  'Basic authentication is required, Basic understanding is not',
  'duplicate key value violates unique constraint "pk_customers_email"',
  'Key (key)=(2026-order-12) already exists',
  'Expected a text that begins with -----BEGIN PRIVATE KEY----- and a line break.',
  'The password must have 8 characters. password: required',
  'cache key=user:12345678 missed',
  'Sales in ASIA-PACIFIC and ASIA_PACIFIC_SOUTH',
  'PWD=/srv/app2/current, pwd: ~/projects/shop2',
  'the image xapp-components-v2',
])('keeps ordinary prose and code: %s', (text) => {
  expect(redactSecrets(text)).toBe(text)
})

it('removes the secrets that it is given', () => {
  expect(redactSecrets('password is hunter2-hunter2', ['hunter2-hunter2'])).toBe('password is [redacted]')
})

it('removes the whole of a secret that begins with another one', () => {
  vi.stubEnv('A_KEY', 'correct-horse')
  vi.stubEnv('B_KEY', 'correct-horse-battery-staple')
  expect(redactSecrets('it is correct-horse-battery-staple')).toBe('it is [redacted]')
})

it.each([
  ...[
    'eyJ-',
    'eyJabcdefghij.',
    'sk-',
    'Bearer ',
    'a',
    '://',
    '://a:',
    'password=',
    'token=(',
    '?key=a1234567(',
    'Basic ',
  ],
  ...['?x-signature', '-----BEGIN PRIVATE KEY-----', '-----BEGIN PRIVATE KEY-----abcdefghijklmnop', 'Basic aaaa', '?-'],
])('reads a long text of %s once, or the test would not end', (word) => {
  expect(redactSecrets(word.repeat(200_000)).length).toBeGreaterThan(0)
})

it('keeps short values of the environment', () => {
  vi.stubEnv('USE_TOKEN', 'true')
  expect(redactSecrets('it is true')).toBe('it is true')
})
