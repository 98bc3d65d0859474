import { AsyncLocalStorage } from 'node:async_hooks'
import type { Budget } from '../../data/budget.ts'
import { estimateRequest } from '../../tokens/estimate-tokens.ts'
import { limits } from '../../limits.ts'
import type { Model, ModelInfo, ModelRequest } from '../../contracts/model.ts'
import { validateTranscript } from '../../data/transcript.ts'
import type { Usage } from '../../data/usage.ts'

/** What models and tools observe of one run and of all runs that it starts, also across processes. */
export interface Witness {
  readonly problems: string[]
  readonly modelCalls: readonly SeenModelCall[]
  readonly executions: readonly SeenExecution[]
  readonly budget: Budget
  /** Whether there was an attempt to resume the run. */
  readonly hasWaited: boolean
  /** A suspended run is being resumed. */
  resumes(): void
  /** A call was approved. */
  approves(callId: string): void
  /** The run has settled: everything it started was aborted, and nothing new begins. */
  settles(): void
  modelCallBegins(model: Model, request: ModelRequest, signal: AbortSignal): SeenModelCall
  executionBegins(callId: string, name: string, signal: AbortSignal): SeenExecution
}

export type SeenModelCall = {
  signal: AbortSignal
  /** Its worst case, in tokens. */
  worst: number
  reported: Usage
  hasAnswered: boolean
  ended: boolean
  /** The calls of its answer, once it is complete. */
  callIds: string[]
}

export type SeenExecution = { callId: string; name: string; signal: AbortSignal; ended: boolean }

/** The witness of the current run. */
export const currentWitness: AsyncLocalStorage<Witness> = new AsyncLocalStorage()

export function createWitness(question: string, budget: Budget): Witness {
  const problems: string[] = []
  const modelCalls: SeenModelCall[] = []
  const executions: SeenExecution[] = []
  const approved = new Set<string>()
  let hasWaited = false
  let isOver = false

  const checkBudget = (worst: number): void => {
    const { modelCalls: most = Number.POSITIVE_INFINITY, tokens = Number.POSITIVE_INFINITY } = budget
    if (modelCalls.length >= most) problems.push(`model call ${modelCalls.length + 1} of ${most} began`)
    const spent = modelCalls.reduce((sum, call) => sum + tokensSpent(call), 0)
    if (spent + worst > tokens) problems.push(`a call of ${worst} tokens began with ${spent} of ${tokens} spent`)
  }

  return {
    problems,
    modelCalls,
    executions,
    budget,
    get hasWaited() {
      return hasWaited
    },
    resumes() {
      hasWaited = true
      isOver = false
    },
    approves(callId) {
      approved.add(callId)
    },
    settles() {
      isOver = true
      const running = [...modelCalls, ...executions].filter(({ ended, signal }) => !ended && !signal.aborted)
      if (running.length > 0) problems.push(`${running.length} calls continue after the run, and were not aborted`)
    },
    modelCallBegins(model, request, signal) {
      if (isOver) problems.push('a model was called after the run had ended')
      if (signal.aborted) problems.push('a model was called with an aborted signal')
      for (const { index, problem } of validateTranscript(request.messages)) {
        problems.push(`a model was sent an invalid message ${index}: ${problem}`)
      }
      if (!isAsked(request, question)) problems.push('a model was sent a request without the question')
      const inputTokens = estimateRequest(request, model.info)
      checkWindow(inputTokens, model.info, problems)
      const worst = inputTokens + (request.maxOutputTokens ?? longestAnswer(model))
      checkBudget(worst)
      const call: SeenModelCall = { signal, worst, reported: {}, hasAnswered: false, ended: false, callIds: [] }
      modelCalls.push(call)
      return call
    },
    executionBegins(callId, name, signal) {
      if (isOver) problems.push(`"${name}" was run after the run had ended`)
      const times = executions.filter((execution) => execution.callId === callId).length
      const allowed = modelCalls.filter(({ callIds }) => callIds.includes(callId)).length
      if (times >= allowed) problems.push(`"${name}" was run ${times + 1} times for ${allowed} calls ${callId}`)
      if (name.startsWith('asks') && !approved.has(callId)) problems.push(`"${name}" was run without approval`)
      const { toolCalls: most = Number.POSITIVE_INFINITY } = budget
      if (executions.length >= most) problems.push(`tool call ${executions.length + 1} of ${most} began`)
      const execution: SeenExecution = { callId, name, signal, ended: false }
      executions.push(execution)
      return execution
    },
  }
}

/** Other requests within a run: those of a hook, of an agent inside a tool, and for a summary. */
export const otherQuestions = { hook: 'Something else.', tool: 'Do it.', summary: 'Write the new summary' }

function isAsked({ messages }: ModelRequest, question: string): boolean {
  const others = Object.values(otherQuestions)
  return messages.some(({ role, content }) => {
    const text = role === 'user' && typeof content === 'string' ? content : ''
    return text === question || others.some((other) => text.includes(other))
  })
}

/** The longest answer of a model without a limit. */
export function longestAnswer({ info }: Model): number {
  return info?.maxOutputTokens ?? limits.assumedAnswerTokens
}

function checkWindow(tokens: number, info: ModelInfo | undefined, problems: string[]): void {
  const { contextWindow = Number.POSITIVE_INFINITY } = info ?? {}
  // A question that seems too long is still sent, within limits: tokens are estimated on the high side.
  if (tokens > contextWindow * 2.5) problems.push(`a model with room for ${contextWindow} tokens was sent ${tokens}`)
}

/** A lower bound. The usage of an unfinished call is unknown, so it counts in full. */
function tokensSpent({ ended, signal, worst, reported }: SeenModelCall): number {
  if (!ended && !signal.aborted) return worst
  return reported.totalTokens ?? 0
}
