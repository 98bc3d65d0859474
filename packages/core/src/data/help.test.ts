import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { problemType } from './error-codes.ts'
import { AgentKitError } from './errors.ts'
import { helpOf } from './help.ts'
import { site } from './site.ts'

it('is a path in the installed package until the packages are published', () => {
  expect(helpOf('timeout', '')).toBe('node_modules/agentkit/docs/errors/timeout.md')
  expect(problemType('timeout', '')).toBe('urn:agentkit:problem:timeout')
})

it('is an address afterwards, also of problems over HTTP', () => {
  expect(helpOf('timeout', 'https://agentkit.example/')).toBe('https://agentkit.example/errors/timeout.html')
  expect(problemType('timeout', 'https://agentkit.example')).toBe('https://agentkit.example/errors/timeout.html')
  // Codes of requests have no page.
  expect(problemType('missing-field', 'https://agentkit.example')).toBe('urn:agentkit:problem:missing-field')
  expect(problemType('constructor', 'https://agentkit.example')).toBe('urn:agentkit:problem:constructor')
})

it('is named by every error, and no part of its data', () => {
  const error = new AgentKitError('quota', 'Nothing is left.')
  expect(error.help).toBe(helpOf('quota'))
  expect(Object.keys(error)).not.toContain('help')
  expect(JSON.stringify(error)).not.toContain('docs/errors')
})

it('has the address of site.json', () => {
  expect(site).toBe(JSON.parse(readFileSync(new URL('../../../../site.json', import.meta.url), 'utf8')).site)
})
