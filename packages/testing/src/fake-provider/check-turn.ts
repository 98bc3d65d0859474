import { checkOptionNames, invalidArgument, isOneOf, isRecord } from '@agentkit/core/internal'
import type { FakeAnswer, FakeFailure, FakeFrames, FakeStatus, StreamFault, Transport } from './wires/script.ts'

const transportKeys = {
  delayMs: true,
  writes: true,
  lineEnd: true,
  fault: true,
  faultAfter: true,
} satisfies Record<keyof Transport, true>

const answerKeys = {
  ...transportKeys,
  ...{ text: true, reasoning: true, commentary: true, refusal: true, toolCalls: true },
  ...{ finishReason: true, usage: true, deltas: true },
} satisfies Record<keyof FakeAnswer, true>

const framesKeys = { ...transportKeys, frames: true } satisfies Record<keyof FakeFrames, true>

const statusKeys = {
  ...{ status: true, code: true, type: true, message: true },
  ...{ retryAfter: true, headers: true, body: true },
} satisfies Record<keyof FakeStatus, true>

type Fault = StreamFault | Exclude<FakeFailure, FakeStatus>['fault']

const faults = Object.keys({
  ...{ hang: true, cut: true, 'early-eof': true, 'eof-in-frame': true },
  ...{ 'garbage-frame': true, 'error-frame': true, 'flat-error-frame': true, failed: true },
  ...{ 'hang-before-headers': true, reset: true, html: true },
} satisfies Record<Fault, true>)

const isFault = isOneOf(faults)
const isWrites = isOneOf(['frame', 'byte', 'split-characters'])

/**
 * Refuses a misspelt turn: it would be an empty answer, or one without its fault. The compiler does not see one that a
 * function returns.
 *
 * @throws AgentKitError `invalid-argument`
 */
export function checkTurn(turn: unknown, index: number): void {
  if (turn === undefined || typeof turn === 'string') return
  const of = `script[${index}]`
  if (!isRecord(turn)) throw invalidArgument(`\`${of}\` is a text, or an object such as { text } or { status: 429 }.`)
  const keys = 'status' in turn ? statusKeys : 'frames' in turn ? framesKeys : answerKeys
  checkOptionNames(turn, keys, { code: 'invalid-argument', of })
  const { fault, writes } = turn
  if (fault !== undefined && !isFault.holds(fault)) throw invalidArgument(`\`${of}.fault\` is ${isFault.is}.`)
  if (writes !== undefined && !isWrites.holds(writes)) throw invalidArgument(`\`${of}.writes\` is ${isWrites.is}.`)
}
