import { afterEach, describe, expect, it, vi } from 'vitest'
import { authTokens } from './auth-tokens.ts'

describe('authTokens', () => {
  afterEach(() => void vi.unstubAllEnvs())

  it.each([
    ['one=ada', { one: 'ada' }],
    ['one=ada, two=bob ,three', { one: 'ada', two: 'bob', three: '*' }],
    ['bGl0dGxl==,c2VjcmV0===ada,', { 'bGl0dGxl==': '*', 'c2VjcmV0==': 'ada' }],
    ['one=*', { one: '*' }],
  ])('reads %s', (value, tokens) => {
    vi.stubEnv('TOKENS', value)
    expect(authTokens('TOKENS')).toEqual(tokens)
  })

  it.each([undefined, '', ' , ', 'one=ada,one=bob', 'one,one'])('refuses %s, without showing it', (value) => {
    vi.stubEnv('TOKENS', value)
    expect(() => authTokens('TOKENS')).toThrow(
      expect.objectContaining({ code: 'invalid-config', message: expect.stringMatching(/^[^1]*TOKENS[^1]*$/) }),
    )
    expect(() => authTokens('TOKENS')).not.toThrow(/ada/)
  })
})
