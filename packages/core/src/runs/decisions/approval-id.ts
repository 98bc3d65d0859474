import { sha256 } from '../../util/text/sha256.ts'

/** Where a step is in the tree of a run. */
export type StepPlace = {
  runId: string
  step: number
  /** Of a member's step: the calls that lead to the member, from the outside in. */
  callers: string
}

/** The place of a run's current step. */
export function placeOf({ scope, state }: PlacedRun): StepPlace {
  return { runId: scope.runId, step: state.steps, callers: scope.member?.callers ?? '' }
}

type PlacedRun = {
  scope: { runId: string; member?: { callers: string } }
  state: { steps: number }
}

/**
 * The id of a call's approval: opaque, the same in every process, and unique over all runs.
 *
 * @param startedAt when a call of unknown outcome began, in milliseconds since 1970: its approval differs from the one
 *   that allowed the call to begin
 */
export function approvalIdOf({ runId, step, callers }: StepPlace, callId: string, startedAt?: number): string {
  const call = `${callers}${callName(step, callId)}`
  return opaqueId(runId, startedAt === undefined ? call : `${call}@${startedAt}`)
}

/** A call within its run. Models may use the id of a call again in a later step. */
export function callName(step: number, callId: string): string {
  return `${step}-${callId}`
}

/**
 * An approval's id, which earlier versions showed as it was made: from step, calls and members.
 * @param name what the id is made of
 */
export function opaqueId(runId: string, name: string): string {
  let rest = BigInt(`0x${sha256(JSON.stringify([runId, name]))}`)
  let id = ''
  while (id.length < idLength) {
    id += digits[Number(rest % base)]
    rest /= base
  }
  return prefix + id
}

const prefix = 'apr_'
/** 131 bits. */
const idLength = 22
const digits = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
const base = BigInt(digits.length)
