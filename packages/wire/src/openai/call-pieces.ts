import type { JSONValue } from '@agentkit/core'
import { parseArguments } from '../stream/parse-arguments.ts'

/** A call whose arguments arrive in pieces. */
export type OpenCall = {
  callId: string
  name: string
  argumentsText: string
  /** The last character of the arguments that is not blank; empty where all are. */
  lastSign: string
  /** How often its arguments were parsed to find their end. */
  parses: number
  /** What its model wants back with it. */
  extraContent?: JSONValue
}
/** A piece of a call, as one delta has it: empty where the delta lacks a field. */
export type CallPiece = { callId: string; name: string; piece: string }

export function newCall({ callId, name }: Pick<CallPiece, 'callId' | 'name'>): OpenCall {
  return { callId, name, argumentsText: '', lastSign: '', parses: 0 }
}

/** Adds a piece to the arguments. They are not read here: each reading costs as much as all pieces so far. */
export function addPiece(call: OpenCall, piece: string): void {
  call.argumentsText += piece
  call.lastSign = piece.trimEnd().at(-1) ?? call.lastSign
}

/**
 * Whether a delta begins another call than the known one. Some servers send the index 0 for every call, or none, and no ids
 * or the same one: another id or name begins a call then, and so does a name after arguments that are whole.
 */
export function beginsAnother(known: OpenCall, { callId, name, piece }: CallPiece, hasKey: boolean): boolean {
  if (name === '') return false
  if (callId !== '' && known.callId !== '' && callId !== known.callId) return true
  if (known.name !== '' && name !== known.name) return true
  // A call without arguments has none to come.
  if (known.lastSign === '') return !hasKey
  const isStart = known.lastSign === '}' && piece.trimStart().startsWith('{')
  if (!isStart || isListedAgain(known, { callId, name, piece })) return false
  return ++known.parses <= mostParses && isWhole(known.argumentsText)
}

/** Pieces that look like a whole call, of one call whose name is repeated: each costs as much as all before it. */
const mostParses = 64

function isWhole(text: string): boolean {
  return parseArguments(text).ok
}

/** Whether a delta repeats a whole call: some servers list all calls again at the end. */
export function isListedAgain(known: OpenCall, { callId, name, piece }: CallPiece): boolean {
  const isSame = callId !== '' && callId === known.callId && name !== '' && name === known.name
  return isSame && piece === known.argumentsText && isWhole(piece)
}

/** Whether a piece is all arguments once more: some servers send them whole at the end. */
export function isSentAgain({ argumentsText }: OpenCall, piece: string): boolean {
  return piece === argumentsText && piece.trimStart().startsWith('{') && isWhole(piece)
}

/** Whether the arguments begin with a piece: Gemini's server sends `{}` before them. */
export function followsPlaceholder({ argumentsText }: OpenCall, piece: string): boolean {
  // Long arguments are not read: reading them at each piece would take time by the square of their length.
  return argumentsText.length < 8 && argumentsText.trim() === '{}' && piece.trimStart().startsWith('{')
}

export function isCompleteCall({ name, argumentsText }: OpenCall): boolean {
  return name !== '' && isWhole(argumentsText)
}
