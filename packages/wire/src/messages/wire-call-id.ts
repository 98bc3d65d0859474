import { hash } from 'node:crypto'

/**
 * A tool call's id as a wire takes it: itself where it fits, else a hash of it, the same for each call and result of
 * each request. Ids come from other providers too, and some are hundreds of characters long.
 *
 * @param maxLength in characters; at least 37
 */
export function wireCallId(callId: string, maxLength: number): string {
  if (callId.length <= maxLength && safe.test(callId)) return callId
  return `call_${hash('sha256', callId).slice(0, 32)}`
}

const safe = /^[\w.:-]+$/
