import type { AgentEvent, Approval, Citation, Cost, ErrorInfo, Usage } from '@agentkit/core'

/** A call of a tool, as its events show it. */
export type CallView = {
  type: 'call'
  callId: string
  name: string
  input: unknown
  output?: unknown
  isError?: boolean
  durationMs?: number
  approval?: ApprovalView
  /** Whether its agent has ended before it had a result. */
  isStopped?: boolean
}

export type ApprovalView = Approval & { path: string[]; isOpen: boolean }

/** One model call with its results. */
export type StepView = {
  type: 'step'
  step: number
  text: string
  reasoning: string
  calls: CallView[]
  restarts: ErrorInfo[]
  end?: { model: string; finishReason: string; usage: Usage; cost?: Cost }
}

export type NoteView =
  | { type: 'fallback'; from: string; to: string; error: ErrorInfo }
  | { type: 'handoff'; to: string }

/** The work of one agent of the run. */
export type AgentView = {
  key: string
  path: readonly string[]
  name: string
  status?: string
  reason?: string
  entries: (StepView | NoteView)[]
}

export type RunEnd = Extract<AgentEvent, { type: 'run-end' }>
export type RunStart = Extract<AgentEvent, { type: 'run-start' }>

/** A run as its events show it so far. `applyEvent` changes it in place. */
export type RunView = {
  runId: string
  /** The number of the last event. */
  seq: number
  agents: AgentView[]
  /** The steps whose texts are the answer, in order. */
  answerSteps: StepView[]
  approvals: ApprovalView[]
  sources: Citation[]
  budget: RunStart['budget']
  /** The last end; a run that waits may continue. */
  end: RunEnd | undefined
  isOpen: boolean
  spent: Spent
  /** The models that the history names of a run whose steps are not read. */
  models: readonly string[]
  /** The path of the member that has the conversation. */
  active: string | undefined
  /** The agent whose text is the answer, where it is always the same one. */
  speaker: string | undefined
  openCalls: Set<string>
}

/** `isCounted` and `isPriced`: whether the tokens and the prices of all calls are known. */
export type Spent = {
  tokens: number
  isCounted: boolean
  usd: number
  isPriced: boolean
  modelCalls: number
  toolCalls: number
}

/** @param speaker of `/api/v1/info`: where it is the agent itself, as of a workflow, no member has the conversation */
export function newRunView(runId: string, speaker?: string): RunView {
  return {
    runId,
    seq: 0,
    agents: [],
    answerSteps: [],
    approvals: [],
    sources: [],
    budget: undefined,
    end: undefined,
    isOpen: true,
    spent: { tokens: 0, isCounted: true, usd: 0, isPriced: true, modelCalls: 0, toolCalls: 0 },
    models: [],
    active: undefined,
    speaker,
    openCalls: new Set(),
  }
}

/** More agents and entries than a person reads; a run that continues is still shown by its answer. */
const maxAgents = 200
const maxEntries = 2_000

export function applyEvent(view: RunView, event: AgentEvent): void {
  // A continued stream may repeat events.
  if (event.seq <= view.seq) return
  view.seq = event.seq
  const agent = agentOf(view, event)
  switch (event.type) {
    case 'run-start':
      view.budget = event.budget
      // A run that has failed may be tried again.
      if (view.end && view.end.finishReason !== 'approval') for (const call of callsOf(view)) call.isStopped = false
      view.end = undefined
      view.isOpen = true
      return
    case 'agent-start':
      agent.name = event.name
      agent.status = 'running'
      return
    case 'agent-end':
      agent.status = event.status
      if (event.reason !== undefined) agent.reason = event.reason
      if (event.status !== 'waiting') stopCalls([agent])
      return
    case 'step-start':
      startStep(view, agent, event)
      return
    case 'step-restart': {
      const step = lastStep(agent) ?? startStep(view, agent, event)
      step.restarts.push(event.error)
      step.text = ''
      step.reasoning = ''
      step.calls = []
      return
    }
    case 'text-delta':
      openStep(view, agent, event).text += event.text
      return
    case 'reasoning-delta':
      openStep(view, agent, event).reasoning += event.text
      return
    case 'tool-call': {
      const { callId, name, input } = event
      if (event.path.length <= 1) view.openCalls.add(callId)
      openStep(view, agent, event).calls.push({ type: 'call', callId, name, input })
      view.spent.toolCalls++
      return
    }
    case 'tool-result':
      finishCall(view, agent, event)
      return
    case 'source':
      if (!view.sources.some(({ chunkId, file }) => chunkId === event.source.chunkId && file === event.source.file)) {
        view.sources.push(event.source)
      }
      return
    case 'handoff':
      agent.entries.push({ type: 'handoff', to: event.to })
      return
    case 'model-fallback':
      agent.entries.push({ type: 'fallback', from: event.from, to: event.to, error: event.error })
      return
    case 'approval-request':
      requestApproval(view, agent, event)
      return
    case 'step-end': {
      const { model, finishReason, usage, cost } = event
      openStep(view, agent, event).end = { model, finishReason, usage, ...(cost && { cost }) }
      spend(view.spent, usage, cost)
      return
    }
    case 'run-end':
      view.end = event
      view.isOpen = false
      if (event.finishReason === 'approval') return
      for (const approval of view.approvals) approval.isOpen = false
      stopCalls(view.agents)
      return
  }
}

/** The answer: the text of the agent that has the conversation, or the text that a swarm has composed. */
export function answerOf({ answerSteps, end }: RunView): string {
  const written = answerSteps.filter(({ text }) => text !== '')
  if (written.length === 1 && written[0]) return written[0].text
  if (written.length > 0) return written.map(({ text }) => text).join('\n\n')
  return end?.text ?? ''
}

export function callsOf({ agents }: Pick<RunView, 'agents'>): CallView[] {
  return agents.flatMap(({ entries }) => entries.flatMap((entry) => (entry.type === 'step' ? entry.calls : [])))
}

/** Calls that a budget, a deadline or an abort has stopped get no result. */
function stopCalls(agents: AgentView[]): void {
  for (const call of callsOf({ agents })) if (call.durationMs === undefined) call.isStopped = true
}

function agentOf(view: RunView, { path }: AgentEvent): AgentView {
  const key = path.join('/')
  const known = view.agents.find((agent) => agent.key === key)
  if (known) return known
  const agent: AgentView = { key, path, name: path.at(-1) ?? '', entries: [] }
  if (view.agents.length < maxAgents) view.agents.push(agent)
  return agent
}

function lastStep({ entries }: AgentView): StepView | undefined {
  return entries.findLast((entry) => entry.type === 'step')
}

/** The step that an event belongs to. A stream that is joined late begins within one. */
function openStep(view: RunView, agent: AgentView, event: AgentEvent): StepView {
  const last = lastStep(agent)
  return last && !last.end ? last : startStep(view, agent, { ...event, step: (last?.step ?? 0) + 1 })
}

function startStep(view: RunView, agent: AgentView, event: AgentEvent & { step: number }): StepView {
  const { step } = event
  const created: StepView = { type: 'step', step, text: '', reasoning: '', calls: [], restarts: [] }
  if (agent.entries.length < maxEntries) agent.entries.push(created)
  // The same rule as on the server: the answer is the text of the agent itself, or of the member to which the conversation was handed off.
  if (event.path.length === 2 && view.openCalls.size === 0 && event.path[0] !== view.speaker) view.active = agent.key
  if (event.path.length <= 1 || agent.key === view.active) view.answerSteps.push(created)
  return created
}

function finishCall(view: RunView, agent: AgentView, event: Extract<AgentEvent, { type: 'tool-result' }>): void {
  const { callId, name, output, isError, durationMs } = event
  // A member's calls may have the ids of others.
  if (event.path.length <= 1) view.openCalls.delete(callId)
  let call = agent.entries
    .flatMap((entry) => (entry.type === 'step' ? entry.calls : []))
    .findLast((one) => one.callId === callId)
  if (!call) {
    call = { type: 'call', callId, name, input: undefined }
    openStep(view, agent, event).calls.push(call)
  }
  Object.assign(call, { output, isError, durationMs })
  const approval = view.approvals.find(
    (one) => one.callId === callId && one.isOpen && (one.path.length === 0 || one.path.join('/') === agent.key),
  )
  if (approval) approval.isOpen = false
}

function requestApproval(
  view: RunView,
  agent: AgentView,
  event: Extract<AgentEvent, { type: 'approval-request' }>,
): void {
  const { approvalId, callId, name, input, kind, startedAt, path } = event
  // The approval is requested again when the run is suspended again.
  view.approvals = view.approvals.filter((one) => one.approvalId !== approvalId)
  const approval = { approvalId, callId, name, input, kind, path, isOpen: true, ...(startedAt && { startedAt }) }
  view.approvals.push(approval)
  const call = lastStep(agent)?.calls.find((one) => one.callId === callId)
  if (call) call.approval = approval
}

function spend(spent: Spent, usage: Usage, cost: Cost | undefined): void {
  const { inputTokens = 0, outputTokens = 0, totalTokens = 0 } = usage
  const tokens = Math.max(inputTokens + outputTokens, totalTokens)
  spent.tokens += tokens
  if (tokens === 0) spent.isCounted = false
  spent.modelCalls++
  if (cost) spent.usd += cost.usd
  else spent.isPriced = false
}
