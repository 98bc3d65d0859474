import { expect, it } from 'vitest'
import { credentialsOf } from './credentials.ts'

it('are the credentials of headers, of the address and of the variables of a process', () => {
  const headers = { Authorization: 'Token token-of-ada', 'x-team': 'garden' }
  const url = new URL('https://example.com/mcp?team=garden&api_key=a%2Fb%2Fc%2Fd')
  expect(credentialsOf({ headers, url })).toEqual(['Token token-of-ada', 'token-of-ada', 'a/b/c/d', 'a%2Fb%2Fc%2Fd'])
  expect(credentialsOf({ env: { TICKETS_TOKEN: 'tickets-of-ada', LANG: 'en_GB.UTF-8' } })).toEqual(['tickets-of-ada'])
  expect(credentialsOf({ url: 'https://example.com/mcp?key' })).toEqual([])
  expect(credentialsOf({})).toEqual([])
})
