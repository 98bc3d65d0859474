import { expect, it } from 'vitest'
import { keyOfSecret, signature } from './signature.ts'

// The example of the Standard Webhooks specification.
const secret = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw'
const content = 'msg_p5jXN8AQM9LWM0D4loKWxJek.1614265330.{"test": 2432232314}'

it('signs as Standard Webhooks has it', async () => {
  const key = keyOfSecret(secret, 'The secret')
  expect(await signature(key, content)).toBe('v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=')
})

it('takes a secret in plain text as it is', () => {
  expect(Buffer.from(keyOfSecret('täst', 'The secret')).toString()).toBe('täst')
})

it.each(['whsec_', 'whsec_not base64!', 'whsec_a'])('refuses the secret %s without showing it', (broken) => {
  expect(() => keyOfSecret(broken, 'The variable X')).toThrow(/^The variable X begins with "whsec_", and no base64/)
})
