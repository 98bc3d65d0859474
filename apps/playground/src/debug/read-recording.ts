import type { AgentEvent } from '@agentkit/core'
import { parseCassette, type RecordedCall } from '@agentkit/testing'
import { formatNumber } from '../run/format.ts'
import { t } from '../text/t.ts'
import { isWholeEvent } from './check-event.ts'

/** A recording that can be stepped through. */
export type Recording =
  | { type: 'run'; name: string; events: AgentEvent[] }
  | { type: 'cassette'; name: string; calls: RecordedCall[] }

const maxBytes = 100e6
const maxEvents = 200_000

/** Whether a file begins like a transcript or a cassette. */
export async function isRecording(file: File): Promise<boolean> {
  // A folder cannot be read.
  const head = await file
    .slice(0, 400)
    .text()
    .catch(() => '')
  return /^\s*\{\s*"agentkit":\s*"cassette"/.test(head) || /^\s*\{\s*"version":\s*1\s*,\s*"agent":/.test(head)
}

/** @throws Error with a sentence for a file that is neither */
export async function readRecording(file: File): Promise<Recording> {
  if (file.size > maxBytes) throw new Error(t('debug.tooLarge', { max: String(maxBytes / 1e6) }))
  const text = await file.text()
  const { name } = file
  if (/^\s*\{\s*"agentkit":/.test(text)) return { type: 'cassette', name, calls: parseCassette(text, name).calls }
  const value: unknown = parse(text)
  const { version, events } = typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {}
  if (version !== 1 || !Array.isArray(events)) throw new Error(t('debug.noRecording'))
  if (events.length > maxEvents) throw new Error(t('debug.tooMany', { max: formatNumber(maxEvents) }))
  const at = events.findIndex((event) => !isWholeEvent(event))
  if (at >= 0) throw new Error(t('debug.badEvent', { at: String(at + 1) }))
  return { type: 'run', name, events: events as AgentEvent[] } // checked above
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw new Error(t('debug.notJSON'))
  }
}
