import type { AgentEvent } from '@agentkit/core'
import { parseCassette, type RecordedCall } from '@agentkit/testing'
import { isEvent } from '../api/read-events.ts'

/** What can be stepped through. */
export type Recording =
  | { type: 'run'; name: string; events: AgentEvent[] }
  | { type: 'cassette'; name: string; calls: RecordedCall[] }

const maxBytes = 100e6
const maxEvents = 200_000

/** Whether a file begins like a transcript or a cassette. */
export async function isRecording(file: File): Promise<boolean> {
  const head = await file.slice(0, 400).text()
  return /^\s*\{\s*"agentkit":\s*"cassette"/.test(head) || /^\s*\{\s*"version":\s*1\s*,\s*"agent":/.test(head)
}

/** @throws Error with a sentence for a file that is neither */
export async function readRecording(file: File): Promise<Recording> {
  if (file.size > maxBytes) throw new Error(`It has more than ${maxBytes / 1e6} MB.`)
  const text = await file.text()
  const { name } = file
  if (/^\s*\{\s*"agentkit":/.test(text)) return { type: 'cassette', name, calls: parseCassette(text, name).calls }
  const value: unknown = parse(text)
  const { version, events } = typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {}
  if (version !== 1 || !Array.isArray(events))
    throw new Error('It has neither `version: 1` with `events`, nor a cassette.')
  if (events.length > maxEvents) throw new Error(`It has more than ${maxEvents} events.`)
  const at = events.findIndex((event) => !isEvent(event))
  if (at >= 0) throw new Error(`Its event ${at + 1} is none of a run.`)
  return { type: 'run', name, events: events as AgentEvent[] } // checked above
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw new Error('It is no JSON.')
  }
}
