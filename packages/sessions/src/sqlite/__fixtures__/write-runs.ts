// Writes runs with calls, events and approvals until it is stopped, and prints a line once a write is stored:
// "<runId> <messages> <events>".
// node write-runs.ts <path> <name>
import { writeSync } from 'node:fs'
import type { AgentEvent } from '@agentkit/core'
import { sqliteSessions } from '@agentkit/sessions'

const [path = '', name = ''] = process.argv.slice(2)
const { runs } = sqliteSessions(path)
if (!runs) throw new Error('The store has no runs.')
const agentId = 'helper'
for (let turn = 0; ; turn++) {
  const runId = `${name}-${turn}`
  const stored = (messages: number, events: number): void => void writeSync(1, `${runId} ${messages} ${events}\n`)
  const input = [{ v: 1, role: 'user', content: runId }] as const
  const isResumable = turn % 3 > 0
  const entry = { runId, agentId, expectedVersion: 0, input, isResumable, keepsEvents: true, options: { turn } }
  await runs.create({ agentId, userId: 'ann', sessionId: runId }, entry)
  stored(1, 0)
  for (let step = 1; step <= 3; step++) {
    const delta: AgentEvent = { type: 'text-delta', text: 'x'.repeat(200), runId, path: [agentId], seq: step }
    await runs.append(runId, {
      ...{ attempt: 1, position: step, progress: { step, text: 'y'.repeat(500) }, events: [delta] },
      messages: [{ v: 1, role: 'assistant', content: [{ type: 'text', text: 'z'.repeat(1_000) }] }],
      calls: [{ callId: `call ${step}`, name: 'echo', startedAt: step }],
    })
    stored(1 + step, step)
  }
  const approvals = [{ approvalId: `apr_${runId}`, callId: 'a', name: 'pay', input: {}, kind: 'approval' }] as const
  if (turn % 2) await runs.suspend(runId, { attempt: 1, approvals })
  else await runs.end(runId, { attempt: 1, status: 'done', finishReason: 'stop', text: runId })
}
