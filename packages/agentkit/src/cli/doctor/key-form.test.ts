import { expect, it } from 'vitest'
import { keyProblem } from './key-form.ts'

it.each(['sk-proj-4f1bXxX9Ta0kYourQ7mZpLw2sVxxxBn8', 'sk-proj-0123456789abcdefXXX', 'sk-4fYOUR0123456789abcdef'])(
  'the random key %s is none of an example',
  (key) => {
    expect(keyProblem(key, 'openai')).toBeUndefined()
  },
)

it.each([
  'sk-xxx',
  'sk-proj-xxxxxxxxxxxx',
  'sk-1234xxxxxxxx',
  'XXX',
  'your-key',
  'sk-your_key_here',
  'YOUR_API_KEY',
  'yourkey',
  '<key>',
  'sk-…',
  'sk-...',
  'sk-changeme',
])('%s is an example', (key) => {
  expect(keyProblem(key, 'openai')).toEqual({ status: 'fail', detail: 'holds an example instead of a key.' })
})
