import { type AssistantMessage, type Message, type ToolCallPart, type ToolMessage, toolCalls } from '@agentkit/core'
import type { CallIds } from './call-ids.ts'

/**
 * Repairs a conversation so that every provider accepts it: each tool call is directly followed by exactly one result, in
 * the order of the calls, with a unique id that the API accepts.
 *
 * A call without a result gets an error result, an error without text gets a text, and a result without a call is dropped.
 *
 * @param ids assigns the ids
 */
export function repairTranscript(messages: readonly Message[], ids: CallIds): Message[] {
  const repaired: Message[] = []
  for (let index = 0; index < messages.length; index++) {
    const message = messages[index] as Message
    if (message.role === 'tool') continue
    const calls = message.role === 'assistant' ? toolCalls(message) : []
    if (message.role !== 'assistant' || calls.length === 0) {
      repaired.push(message)
      continue
    }
    const wireIds = calls.map(({ callId }) => ids.take(callId))
    repaired.push(withCallIds(message, calls, wireIds))
    const later = resultsInOrder(messages, index, calls) ? undefined : resultsAfter(messages, index)
    for (let position = 0; position < calls.length; position++) {
      const call = calls[position] as ToolCallPart
      const callId = wireIds[position] as string
      // `resultsInOrder` has checked that these are tool messages.
      const result = later ? later.get(call.callId)?.shift() : (messages[index + 1 + position] as ToolMessage)
      repaired.push(result ? withErrorText(withCallId(result, callId)) : missingResult(callId, call.name))
    }
  }
  return repaired
}

/** The usual case: the results follow in the order of the calls. */
function resultsInOrder(messages: readonly Message[], index: number, calls: readonly ToolCallPart[]): boolean {
  return calls.every((call, position) => {
    const result = messages[index + 1 + position]
    return result?.role === 'tool' && result.callId === call.callId
  })
}

/** The results before the next answer, by call id; calls with the same id take theirs in order. */
function resultsAfter(messages: readonly Message[], index: number): Map<string, ToolMessage[]> {
  const results = new Map<string, ToolMessage[]>()
  for (let next = index + 1; next < messages.length; next++) {
    const message = messages[next] as Message
    if (message.role === 'assistant') break
    if (message.role !== 'tool') continue
    const same = results.get(message.callId)
    if (same) same.push(message)
    else results.set(message.callId, [message])
  }
  return results
}

function withCallIds(
  message: AssistantMessage,
  calls: readonly ToolCallPart[],
  callIds: readonly string[],
): AssistantMessage {
  if (calls.every((call, position) => call.callId === callIds[position])) return message
  let next = 0
  const content = message.content.map((part) =>
    part.type === 'tool-call' ? { ...part, callId: callIds[next++] as string } : part,
  )
  return { ...message, content }
}

function withCallId(result: ToolMessage, callId: string): ToolMessage {
  return result.callId === callId ? result : { ...result, callId }
}

/** Most APIs transport only the text of an error. */
function withErrorText(result: ToolMessage): ToolMessage {
  return result.isError && result.content === '' ? { ...result, content: 'The call failed.' } : result
}

function missingResult(callId: string, name: string): ToolMessage {
  const content = 'No result: the call was interrupted before it finished.'
  return { v: 1, role: 'tool', callId, name, content, isError: true }
}
