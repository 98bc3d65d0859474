import type { AgentEvent } from '@agentkit/core'
import { isEvent } from '../api/read-events.ts'

type Kind = 'string' | 'number' | 'object'
const error = { error: 'object', 'error.message': 'string' } as const
const call = { callId: 'string', name: 'string' } as const
const usage = { usage: 'object' } as const

/** The fields of each event that the page shows. A field with `?` may be absent. */
const shown: Record<string, Record<string, Kind>> = {
  'agent-start': { name: 'string' },
  'agent-end': { status: 'string', 'reason?': 'string' },
  'step-start': { step: 'number' },
  'step-restart': error,
  'text-delta': { text: 'string' },
  'reasoning-delta': { text: 'string' },
  'tool-call': call,
  'tool-result': { ...call, durationMs: 'number' },
  'approval-request': { ...call, approvalId: 'string' },
  source: { source: 'object' },
  handoff: { to: 'string' },
  'model-fallback': { ...error, from: 'string', to: 'string' },
  'step-end': { ...usage, model: 'string', 'cost?': 'object', 'cost.usd?': 'number' },
  'run-end': { ...usage, finishReason: 'string', text: 'string' },
}

/** Whether it is an event of a run, as a file that a person opens may not have it. */
export function isWholeEvent(event: unknown): event is AgentEvent {
  if (!isEvent(event) || event.path.some((name) => typeof name !== 'string')) return false
  const fields = Object.hasOwn(shown, event.type) ? Object.entries(shown[event.type] ?? {}) : []
  return fields.every(([name, kind]) => {
    const value = valueAt(event, name.replace('?', ''))
    if (value === undefined) return name.endsWith('?')
    return typeof value === kind && value !== null
  })
}

function valueAt(event: object, path: string): unknown {
  return path.split('.').reduce<unknown>((value, name) => Object(value)[name], event)
}
