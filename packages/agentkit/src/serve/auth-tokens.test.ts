import { afterEach, describe, expect, it, vi } from 'vitest'
import { authTokens } from './auth-tokens.ts'

describe('authTokens', () => {
  afterEach(() => void vi.unstubAllEnvs())

  it.each([
    ['the-token-of-one=ada', { 'the-token-of-one': 'ada' }],
    [
      'the-token-of-one=ada, the-token-of-two=bob ,a-token-of-three',
      { 'the-token-of-one': 'ada', 'the-token-of-two': 'bob', 'a-token-of-three': '*' },
    ],
    ['bGl0dGxlbGl0dGxl==,c2VjcmV0c2VjcmV0===ada,', { 'bGl0dGxlbGl0dGxl==': '*', 'c2VjcmV0c2VjcmV0==': 'ada' }],
    ['the-token-of-one=*', { 'the-token-of-one': '*' }],
  ])('reads %s', (value, tokens) => {
    vi.stubEnv('TOKENS', value)
    expect(authTokens('TOKENS')).toEqual(tokens)
  })

  it.each([
    undefined,
    '',
    ' , ',
    'the-token-of-one=ada,the-token-of-one=bob',
    'the-token-of-one,the-token-of-one',
    'token-of-one=ada',
    'the-token-of-one=ada,0',
    '["the-token-of-one"]',
    '{"the-token-of-one": "ada"}',
  ])('refuses %s, without showing it', (value) => {
    vi.stubEnv('TOKENS', value)
    expect(() => authTokens('TOKENS')).toThrow(
      expect.objectContaining({
        code: 'invalid-config',
        message: expect.stringMatching(/^(?!.*(ada|of-one)).*TOKENS.*$/),
      }),
    )
  })

  it('reports the minimum length of a token, and how to create one', () => {
    vi.stubEnv('TOKENS', 'fifteen-letters=ada')
    expect(() => authTokens('TOKENS')).toThrow(/15 characters; at least 16 .* "openssl rand -hex 32"/)
  })

  it('does not print a token that was written in place of the variable’s name', () => {
    expect(() => authTokens('the-token-of-one')).toThrow(
      expect.objectContaining({ message: expect.not.stringContaining('the-token-of-one') }),
    )
  })
})
