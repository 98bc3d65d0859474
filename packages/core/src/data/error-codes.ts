import type { ErrorCode } from './errors.ts'
import { helpOf } from './help.ts'
import { site } from './site.ts'

/** Every code of the closed list. */
export const errorCodes: Readonly<Record<ErrorCode, true>> = {
  'invalid-config': true,
  'invalid-argument': true,
  'missing-key': true,
  'missing-package': true,
  auth: true,
  'rate-limit': true,
  quota: true,
  overloaded: true,
  'context-overflow': true,
  'content-filter': true,
  'model-not-found': true,
  'bad-request': true,
  'invalid-tool-call': true,
  'provider-error': true,
  network: true,
  timeout: true,
  aborted: true,
  'incomplete-stream': true,
  'malformed-stream': true,
  'tool-error': true,
  'session-busy': true,
  'session-conflict': true,
  budget: true,
  'max-steps': true,
  'no-progress': true,
  approval: true,
  crashed: true,
  'not-found': true,
  'unreadable-file': true,
  storage: true,
  unsupported: true,
}

/** `type` of a problem over HTTP: the published page of the code. */
export function problemType(code: string, address: string = site): string {
  return address !== '' && Object.hasOwn(errorCodes, code) ? helpOf(code, address) : `urn:agentkit:problem:${code}`
}
