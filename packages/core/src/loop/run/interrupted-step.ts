import type { RunStore, StoredRun } from '../../contracts/run-store.ts'
import { type Citation, distinctPassages } from '../../data/citation.ts'
import type { AgentEvent } from '../../data/event.ts'
import type { ToolMessage } from '../../data/message.ts'
import type { InterruptedStep, Run, RunScope } from './types.ts'

/** The id under which a workflow that has the conversation of a run begins, among the calls of the run. Stored. */
export const workflowCall = '(workflow)'

const pageSize = 500

type Place = {
  /** The path of the run's agent, from the outermost in. */
  own: readonly string[]
  /** Below it, the path of the member that has its conversation; `undefined` before progress is stored. */
  active: readonly string[] | undefined
  /** Its finished steps. */
  steps: number
}

/**
 * Reads the events after the last stored reply.
 * @param from the number of the last event before that reply, or its step
 */
export async function readInterruptedStep(
  runs: RunStore,
  { record: { runId } }: StoredRun,
  from: { after: number } | { step: number },
  { own, active, steps }: Place,
): Promise<InterruptedStep> {
  const results = new Set<string>()
  const started = new Set<string>()
  const ended = new Set<string>()
  const path = [...own, ...(active ?? [])]
  const step: { -readonly [Key in keyof InterruptedStep]: InterruptedStep[Key] } = {
    ...{
      results,
      missingSources: undefined,
      started,
      ended,
      stepStart: undefined,
      stepEnd: undefined,
      modelCalls: 0,
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
      // Before progress is stored, any member may have the conversation, and none has a run of its own.
      if (!isOwn(event) && active !== undefined) continue
      if (isCallStart(event, steps, step.modelCalls)) step.modelCalls++
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

/** Whether a model call begins, or begins again after a process died; a restart for another reason is a part of its call. */
function isCallStart(event: AgentEvent, steps: number, before: number): boolean {
  if (event.type === 'step-start') return event.step > steps
  return event.type === 'step-restart' && event.step > steps && event.error.code === 'crashed' && before > 0
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
