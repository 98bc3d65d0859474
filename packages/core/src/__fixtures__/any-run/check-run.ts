import { limits } from '../../limits.ts'
import type { AgentEvent } from '../../data/event.ts'
import { validateTranscript } from '../../data/transcript.ts'
import { addUsage, type Usage } from '../../data/usage.ts'
import { mostSteps } from './any-agent.ts'
import type { AnyRun } from './start-any-run.ts'

const noUsage: Usage = {}

/**
 * Checks the invariants of any run.
 * @param isOutput whether a value matches the agent's `output` schema, if it has one
 * @returns the violations
 */
export function checkRun(run: AnyRun, isOutput?: (value: unknown) => boolean): string[] {
  const { result, witness, isWhole } = run
  const { finishReason, error, messages, steps, output } = result
  const problems = witness.problems.splice(0)
  for (const { index, problem } of validateTranscript(messages)) problems.push(`result.messages[${index}]: ${problem}`)
  const isFailed = finishReason === 'error' || finishReason === 'aborted'
  if (isFailed !== (error !== undefined)) problems.push(`it ended in ${finishReason} with the error ${error?.code}`)
  if (error?.code === 'storage' && !/The (disk|connection) /.test(error.message)) problems.push(error.message)
  if (steps > mostSteps) problems.push(`it took ${steps} steps of ${mostSteps}`)
  if (isOutput && finishReason === 'stop' && !isOutput(output)) {
    problems.push(`its output is ${JSON.stringify(output)}`)
  }
  problems.push(...checkUsage(run))
  if (isWhole) problems.push(...checkEvents(run))
  return problems
}

function checkUsage({ result, witness: { modelCalls, hasWaited, budget } }: AnyRun): string[] {
  const { usage, cost, steps } = result
  // A run that could not be resumed has no usage.
  if (hasWaited && steps === 0) return []
  const wasHeard = modelCalls.some(({ hasAnswered }) => hasAnswered)
  if (wasHeard && (usage.inputTokens === undefined || usage.outputTokens === undefined)) return ['its usage is lost']
  const reported = modelCalls.reduce((sum, call) => addUsage(sum, call.reported), noUsage)
  const { inputTokens = 0, outputTokens = 0 } = usage
  const { tokens = Number.POSITIVE_INFINITY, usd = Number.POSITIVE_INFINITY } = budget
  // Floating-point sums are not exact.
  if (inputTokens + outputTokens > tokens || (cost?.usd ?? 0) > usd + 1e-12) {
    return [`it used ${JSON.stringify({ usage, cost })} of ${JSON.stringify(budget)}`]
  }
  const isLess = inputTokens < (reported.inputTokens ?? 0) || outputTokens < (reported.outputTokens ?? 0)
  return isLess ? [`its usage ${JSON.stringify(usage)} is less than what models reported: ${JSON.stringify(reported)}`] : []
}

function checkEvents({ events, result, runId }: AnyRun): string[] {
  const problems: string[] = []
  const last = events.at(-1)
  if (events[0]?.type !== 'run-start') problems.push(`its first event is ${events[0]?.type}`)
  if (events.filter(({ type }) => type === 'run-end').length !== 1) problems.push('it did not emit exactly one run-end')
  if (last?.type !== 'run-end') problems.push(`its last event is ${last?.type}`)
  // A run that was taken over continues above every number that its dead process may have given.
  const first = events[0]?.seq ?? 1
  const isConsecutive = events.every((event, index) => event.seq === first + index && event.runId === runId)
  if (!isConsecutive || (first !== 1 && first <= limits.eventGap)) problems.push('its seq has gaps')
  if (last?.type === 'run-end') {
    const emitted = [last.finishReason, last.text, last.usage, last.cost, last.output, last.error?.code, last.warnings ?? []]
    const { finishReason, text, usage, cost, output, error, warnings } = result
    const settled = [finishReason, text, usage, cost, output, error?.code, warnings]
    if (JSON.stringify(emitted) !== JSON.stringify(settled)) {
      problems.push(`run-end has ${JSON.stringify(emitted)}, the result ${JSON.stringify(settled)}`)
    }
    if (finishReason === 'stop' && textOfLastStep(events) !== text) {
      problems.push(`its events have "${textOfLastStep(events)}", its result "${text}"`)
    }
  }
  return [...problems, ...checkSteps(events)]
}

/** Steps are in sequence, and each emitted call of an attempt has one result, unless the run ended in it. */
function checkSteps(events: readonly AgentEvent[]): string[] {
  const problems: string[] = []
  let open = new Set<string>()
  let step: number | undefined
  let unanswered: string | undefined
  for (const event of events) {
    switch (event.type) {
      case 'step-start':
        if (unanswered !== undefined) problems.push(unanswered)
        unanswered = undefined
        if (step !== undefined && event.step !== step + 1) problems.push(`step ${event.step} came after ${step}`)
        step = event.step
        open = new Set()
        break
      case 'step-restart':
        open = new Set()
        break
      case 'tool-call':
        if (open.has(event.callId)) problems.push(`call ${event.callId} was emitted twice`)
        open.add(event.callId)
        break
      case 'tool-result':
        // A resumed run has emitted its calls before.
        if (step !== undefined && !open.delete(event.callId)) problems.push(`${event.callId} has a result and no call`)
        break
      case 'step-end':
        // Calls of an answer that a filter cut off are not executed.
        if (open.size > 0 && event.finishReason !== 'content-filter') unanswered = `${[...open]} have no result`
        open = new Set()
        break
      case 'run-end':
        // A budget that has no room for calls ends the run with them.
        if (event.finishReason === 'budget') unanswered = undefined
        break
    }
  }
  if (unanswered !== undefined) problems.push(unanswered)
  return problems
}

function textOfLastStep(events: readonly AgentEvent[]): string {
  const start = events.findLastIndex(({ type }) => type === 'step-start' || type === 'step-restart')
  return events
    .slice(start + 1)
    .map((event) => (event.type === 'text-delta' ? event.text : ''))
    .join('')
}
