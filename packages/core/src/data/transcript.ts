import type { AssistantMessage, Message, ToolCallPart, ToolMessage } from './message.ts'
import { messageProblem } from './message-problem.ts'
import type { Turn } from './session-data.ts'

/**
 * The messages of a turn that a model may see: always valid, with results in call order.
 *
 * A running or replaced turn shows nothing. A failed or suspended one without a finished tool call shows nothing either; one with
 * finished calls keeps those calls and results, and ends with the note `[stopped: reason]`, so that no call is
 * repeated.
 *
 * @example
 * const history = (await sessions.turns(key)).flatMap(visibleMessages)
 */
export function visibleMessages(turn: Turn): Message[] {
  switch (turn.status) {
    case 'running':
    case 'replaced':
      return []
    case 'done':
      return withFinishedCalls(turn.messages).messages
    case 'failed':
      return untilStopped(turn, 'interrupted')
    case 'waiting':
      return untilStopped(turn, 'waiting for approval')
  }
}

function untilStopped(turn: Turn, reason: string): Message[] {
  const { messages, finishedCalls } = withFinishedCalls(turn.messages)
  if (finishedCalls === 0) return []
  if (messages.at(-1)?.role !== 'assistant') messages.push(stoppedNote(reason))
  return messages
}

/** The note at the end of a turn that stopped after some of its tool calls had finished. */
export function stoppedNote(reason: string): AssistantMessage {
  return { v: 1, role: 'assistant', content: [{ type: 'text', text: `[stopped: ${reason}]` }] }
}

/** Whether a message is the note of a turn that stopped. It is followed by others where the turn was continued. */
export function isStoppedNote(message: Message): boolean {
  if (message.role !== 'assistant' || message.model !== undefined || message.content.length !== 1) return false
  const [part] = message.content
  return part?.type === 'text' && /^\[stopped: [a-z -]+\]$/.test(part.text)
}

/** Drops calls without a result and results without a call, and sorts results in call order. */
function withFinishedCalls(journal: readonly Message[]): { messages: Message[]; finishedCalls: number } {
  const messages: Message[] = []
  let finishedCalls = 0
  for (let index = 0; index < journal.length; index++) {
    const message = journal[index] as Message
    if (message.role === 'tool') continue
    if (message.role !== 'assistant') {
      messages.push(message)
      continue
    }
    const calls = toolCalls(message)
    if (calls.length === 0) {
      const isOver = isStoppedNote(message) && index < journal.length - 1
      if (!isOver) messages.push(message)
      continue
    }
    const results = resultsAfter(journal, index)
    const finished = calls.filter((call) => results.has(call.callId))
    if (finished.length === 0) {
      // The text beside calls that never ran is kept.
      const said = message.content.filter((part) => part.type === 'text' && part.text.trim() !== '')
      if (said.length > 0) messages.push({ ...message, content: said })
      continue
    }
    finishedCalls += finished.length
    messages.push(finished.length === calls.length ? message : keepCalls(message, results))
    for (const call of finished) messages.push(results.get(call.callId) as ToolMessage)
  }
  return { messages, finishedCalls }
}

/** Sorts the results of a journal in call order. Keeps calls without a result, as the result may still arrive. */
export function inCallOrder(journal: readonly Message[]): Message[] {
  return journal.flatMap<Message>((message, index) => {
    if (message.role === 'tool') return []
    if (message.role !== 'assistant') return [message]
    const results = resultsAfter(journal, index)
    return [message, ...toolCalls(message).flatMap(({ callId }) => results.get(callId) ?? [])]
  })
}

/** The first result of each call, among the tool messages that directly follow. */
function resultsAfter(messages: readonly Message[], index: number): Map<string, ToolMessage> {
  const results = new Map<string, ToolMessage>()
  for (let next = index + 1; next < messages.length; next++) {
    const message = messages[next] as Message
    if (message.role !== 'tool') break
    if (!results.has(message.callId)) results.set(message.callId, message)
  }
  return results
}

function keepCalls(message: AssistantMessage, results: Map<string, ToolMessage>): AssistantMessage {
  return {
    ...message,
    content: message.content.filter((part) => part.type !== 'tool-call' || results.has(part.callId)),
  }
}

/**
 * The tool calls of an assistant's message, in order.
 *
 * @example
 * for (const { name, input } of toolCalls(message)) console.log(name, input)
 */
export function toolCalls(message: AssistantMessage): ToolCallPart[] {
  return message.content.filter((part) => part.type === 'tool-call')
}

/** The position of an invalid message, and its problem. */
export type TranscriptProblem = {
  /** The index of the message, from 0. */
  index: number
  /** What is wrong with it. */
  problem: string
}

/**
 * Checks that these messages can be sent to a model of any provider. Accepts values of any type.
 *
 * Each message has its role's form. Each tool call has exactly one result, directly after its message; no result stands alone; call ids are not empty
 * and unique in their message; no message is empty; system messages come first; the conversation begins with the user.
 *
 * @returns the problems; an empty list when the transcript is valid
 * @example
 * validateTranscript([{ role: 'tool', callId: 'a', name: 'echo', content: 'x' }])
 * // [{ index: 0, problem: 'result of call "a" has no call' }]
 */
export function validateTranscript(messages: readonly Message[]): TranscriptProblem[] {
  if (!Array.isArray(messages)) return [{ index: 0, problem: 'a transcript is a list of messages' }]
  const problems: TranscriptProblem[] = []
  let open = new Set<string>()
  let openedAt = 0
  let started = false
  const closeCalls = (): void => {
    for (const callId of open) problems.push({ index: openedAt, problem: `call "${callId}" has no result` })
    open = new Set()
  }
  // Array.from, because `forEach` skips the holes of a sparse list.
  Array.from(messages).forEach((message, index) => {
    const report = (problem: string): void => void problems.push({ index, problem })
    const misshapen = messageProblem(message)
    if (misshapen !== undefined) {
      report(misshapen)
      return
    }
    if (message.role === 'tool') {
      if (!open.delete(message.callId)) report(`result of call "${message.callId}" has no call`)
      return
    }
    closeCalls()
    if (message.role === 'system') {
      if (started) report('system message after the conversation began')
      return
    }
    if (!started && message.role !== 'user') report('the conversation does not begin with the user')
    started = true
    if (message.content.length === 0) report(`empty ${message.role} message`)
    if (message.role !== 'assistant') return
    openedAt = index
    for (const { callId } of toolCalls(message)) {
      if (callId === '') report('tool call with an empty id')
      else if (open.has(callId)) report(`call id "${callId}" twice in one message`)
      open.add(callId)
    }
  })
  closeCalls()
  return problems
}

/** The text of the user's message, which is the first of the run's own messages. */
export function textOfInput({ messages }: { messages: readonly Message[] }): string {
  const [question] = messages
  if (question?.role !== 'user') return ''
  const { content } = question
  const text = typeof content === 'string' ? content : content.map((part) => (part.type === 'text' ? part.text : ''))
  return [text].flat().filter(Boolean).join('\n') || 'Look at what is attached.'
}

/** The calls of a run's last step that have no result yet. */
export function unansweredCalls(messages: readonly Message[]): ToolCallPart[] {
  const last = messages.findLastIndex(({ role }) => role === 'assistant')
  const message = messages[last]
  if (message?.role !== 'assistant') return []
  const results = messages.slice(last + 1)
  const isAnswered = (callId: string): boolean => {
    return results.some((result) => result.role === 'tool' && result.callId === callId)
  }
  return toolCalls(message)
    .filter(({ callId }) => !isAnswered(callId))
    .map(({ callId, name, input }) => ({ type: 'tool-call', callId, name, input }))
}
