/** An event of AG-UI. */
export type Frame = { type?: string; [field: string]: unknown }

/**
 * The open parts of one agent of a run: a step, and in it one message or one thought. Each method returns the frames to
 * send.
 */
export interface AgentTrack {
  readonly subagentRunId: string | undefined
  begin(): Frame[]
  /** Closes the message or the thought. */
  close(): Frame[]
  step(step: number): Frame[]
  endStep(): Frame[]
  text(delta: string, nextId: () => string): Frame[]
  reasoning(delta: string, nextId: () => string): Frame[]
  call(toolCallId: string, toolCallName: string, args: string): Frame[]
  result(toolCallId: string, content: string | object[], messageId: string, isError: boolean): Frame[]
  /** @param ending of a subagent: its outcome, or an error; `undefined` for the agent itself */
  finish(ending: Frame | undefined): Frame[]
}

type Track = {
  /** Absent for the agent itself. */
  subagentRunId: string | undefined
  name: string
  /** The subagent that it works for. */
  parent?: string
}

export function agentTrack({ subagentRunId, name, parent }: Track): AgentTrack {
  let open: { kind: 'text' | 'reasoning'; id: string } | undefined
  let openStep: string | undefined
  let hasBegun = subagentRunId === undefined
  const own = (frame: Frame): Frame => (subagentRunId === undefined ? frame : { ...frame, subagentRunId })

  const begin = (): Frame[] => {
    if (hasBegun) return []
    hasBegun = true
    return [own({ type: 'SUBAGENT_STARTED', name, ...(parent !== undefined && { parentSubagentRunId: parent }) })]
  }
  const close = (): Frame[] => {
    const closed = open
    open = undefined
    if (!closed) return []
    const { kind, id: messageId } = closed
    if (kind === 'text') return [own({ type: 'TEXT_MESSAGE_END', messageId })]
    return [own({ type: 'REASONING_MESSAGE_END', messageId }), own({ type: 'REASONING_END', messageId })]
  }
  const endStep = (): Frame[] => {
    const frames = close()
    if (openStep !== undefined) frames.push(own({ type: 'STEP_FINISHED', stepName: openStep }))
    openStep = undefined
    return frames
  }
  const add = (kind: 'text' | 'reasoning', delta: string, nextId: () => string): Frame[] => {
    const frames = [...begin(), ...(open?.kind === kind ? [] : close())]
    if (!open) {
      open = { kind, id: nextId() }
      const { id: messageId } = open
      if (kind === 'text') frames.push(own({ type: 'TEXT_MESSAGE_START', messageId, role: 'assistant' }))
      else {
        frames.push(own({ type: 'REASONING_START', messageId }))
        frames.push(own({ type: 'REASONING_MESSAGE_START', messageId, role: 'reasoning' }))
      }
    }
    const type = kind === 'text' ? 'TEXT_MESSAGE_CONTENT' : 'REASONING_MESSAGE_CONTENT'
    return [...frames, own({ type, messageId: open.id, delta })]
  }
  return {
    subagentRunId,
    begin,
    close,
    endStep,
    step(step) {
      // Names are unique among the steps that are open.
      const frames = [...begin(), ...endStep()]
      openStep = subagentRunId === undefined ? `step ${step}` : `${subagentRunId} step ${step}`
      return [...frames, own({ type: 'STEP_STARTED', stepName: openStep })]
    },
    text: (delta, nextId) => add('text', delta, nextId),
    reasoning: (delta, nextId) => add('reasoning', delta, nextId),
    call(toolCallId, toolCallName, args) {
      return [
        ...begin(),
        ...close(),
        own({ type: 'TOOL_CALL_START', toolCallId, toolCallName }),
        own({ type: 'TOOL_CALL_ARGS', toolCallId, delta: args }),
        own({ type: 'TOOL_CALL_END', toolCallId }),
      ]
    },
    result(toolCallId, content, messageId, isError) {
      const frame = { type: 'TOOL_CALL_RESULT', messageId, toolCallId, content, role: 'tool' }
      return [...begin(), ...close(), own({ ...frame, ...(isError && { metadata: { isError } }) })]
    },
    finish(ending) {
      const frames = endStep()
      if (ending === undefined || !hasBegun) return frames
      return [...frames, own({ type: 'SUBAGENT_FINISHED', ...ending })]
    },
  }
}
