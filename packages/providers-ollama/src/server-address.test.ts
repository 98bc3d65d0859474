import { describe, expect, it } from 'vitest'
import { serverAddress } from './server-address.ts'

describe('the address of a server', () => {
  it.each([
    ['http://127.0.0.1:11434', 'http://127.0.0.1:11434'],
    ['http://127.0.0.1:11434/', 'http://127.0.0.1:11434'],
    ['gpu', 'http://gpu:11434'],
    ['gpu:8080', 'http://gpu:8080'],
    [':8080', 'http://127.0.0.1:8080'],
    ['0.0.0.0', 'http://127.0.0.1:11434'],
    ['0.0.0.0:8080', 'http://127.0.0.1:8080'],
    ['http://0.0.0.0:8080', 'http://127.0.0.1:8080'],
    ['::', 'http://[::1]:11434'],
    ['[::]:8080', 'http://[::1]:8080'],
    ['fe80::1', 'http://[fe80::1]:11434'],
    ['"gpu:8080"', 'http://gpu:8080'],
    [' gpu ', 'http://gpu:11434'],
    ['http://gpu', 'http://gpu'],
    ['http://gpu:11434/api', 'http://gpu:11434'],
    ['https://gpu', 'https://gpu'],
    ['https://gpu/ollama/', 'https://gpu/ollama'],
    ['gpu/ollama', 'http://gpu:11434/ollama'],
    ['ollama.com', 'https://ollama.com'],
    ['https://ollama.com', 'https://ollama.com'],
  ])('%s is %s', (address, host) => {
    expect(serverAddress(address, 'serverUrl')).toEqual({ host, secrets: [] })
  })

  it('may hold a user and a password, which become a header', () => {
    expect(serverAddress('http://an%6E:p%40ss@gpu:8080', 'serverUrl')).toEqual({
      host: 'http://gpu:8080',
      authorization: `Basic ${btoa('ann:p@ss')}`,
      secrets: [btoa('ann:p@ss'), 'p@ss'],
    })
  })

  it('takes a password that was not encoded', () => {
    expect(serverAddress('http://ann:100%@gpu:8080', 'OLLAMA_HOST').secrets).toEqual([btoa('ann:100%'), '100%'])
  })

  it.each(['gpu:port', 'ftp://gpu', 'http://'])('is not %s', (address) => {
    expect(() => serverAddress(address, 'OLLAMA_HOST')).toThrow(
      expect.objectContaining({ code: 'invalid-config', message: expect.stringContaining('OLLAMA_HOST') }),
    )
  })
})
