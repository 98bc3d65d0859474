import type { RunStore, StoredRun } from '../../contracts/run-store.ts'
import { type Citation, distinctPassages } from '../../data/citation.ts'
import type { AgentEvent } from '../../data/event.ts'
import type { ToolMessage } from '../../data/message.ts'
import type { InterruptedStep, Run, RunScope } from './types.ts'

const pageSize = 500

/**
 * Reads the events after the last stored reply.
 * @param from the number of the last event before that reply, or its step
 * @param path of the run's agent, from the outermost in, and of the member that has its conversation
 */
export async function readInterruptedStep(
  runs: RunStore,
  { record: { runId } }: StoredRun,
  from: { after: number } | { step: number },
  { own, active }: { own: readonly string[]; active: readonly string[] },
): Promise<InterruptedStep> {
  const results = new Set<string>()
  const started = new Set<string>()
  const ended = new Set<string>()
  const path = [...own, ...active]
  const step: { -readonly [Key in keyof InterruptedStep]: InterruptedStep[Key] } = {
    ...{
      results,
      missingSources: undefined,
      started,
      ended,
      stepStart: undefined,
      stepEnd: undefined,
      isModelCallLost: true,
    },
  }
  const isOwn = (event: AgentEvent): boolean => event.path.join('/') === path.join('/')
  let seen = 'after' in from ? from.after : 0
  for (;;) {
    const page = await runs.events(runId, seen, pageSize)
    for (const event of page) {
      const inner = event.path.slice(own.length).join('/')
      if (event.type === 'agent-start') {
        started.add(inner)
        ended.delete(inner)
      }
      if (event.type === 'agent-end') {
        started.delete(inner)
        ended.add(inner)
      }
      if (!isOwn(event)) continue
      if (event.type === 'step-start' && 'step' in from && event.step <= from.step) {
        results.clear()
        continue
      }
      if (event.type === 'tool-result') results.add(event.callId)
      if (event.type === 'step-start') step.stepStart = event.step
      if (event.type === 'step-end') step.stepEnd = event.step
    }
    const last = page.at(-1)
    if (!last) return step
    seen = last.seq
  }
}

/**
 * The sources of a run that neither it nor one of its members has emitted.
 * @param own the path of the run's agent
 */
export async function readMissingSources(
  runs: RunStore,
  { record, rootRunId = record.runId }: StoredRun,
  { own, sources }: { own: readonly string[]; sources: readonly Citation[] },
): Promise<Citation[]> {
  const emitted: Citation[] = []
  let missing = [...sources]
  let seen = 0
  while (missing.length > 0) {
    // The events of members are those of the outermost run.
    const page = await runs.events(rootRunId, seen, pageSize)
    const last = page.at(-1)
    if (!last) break
    seen = last.seq
    const isWithin = ({ path }: AgentEvent): boolean => own.every((id, index) => path[index] === id)
    emitted.push(...page.flatMap((event) => (event.type === 'source' && isWithin(event) ? [event.source] : [])))
    missing = distinctPassages(sources, emitted)
  }
  return missing
}

/** Emits the results and sources that were stored, but perhaps not emitted, when the process died. */
export async function emitMissingResults(
  { scope, state, finalTool }: Run,
  results: readonly ToolMessage[],
): Promise<void> {
  const { interrupted } = scope
  if (!interrupted || interrupted.stepEnd === state.steps) return
  for (const { callId, name, content, isError = false } of results) {
    if (interrupted.results.has(callId) || name === finalTool) continue
    await scope.emit({ type: 'tool-result', callId, name, output: content, isError, durationMs: 0 })
  }
  const { missingSources } = interrupted
  interrupted.missingSources = undefined
  if (results.length === 0) return
  for (const source of (await missingSources?.()) ?? []) await scope.emit({ type: 'source', source })
}

/** Emits that a step begins; for one in which a process died, that it is repeated. */
export async function emitStepStart({ emit, interrupted }: RunScope, step: number): Promise<void> {
  if (interrupted?.isModelCallLost) {
    interrupted.isModelCallLost = false
    const error = { code: 'crashed', message: 'The process of the run died.', retryable: true } as const
    await emit({ type: 'step-restart', step, error })
    if (interrupted.stepStart === step) return
  }
  await emit({ type: 'step-start', step })
}
