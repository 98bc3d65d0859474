import type { AgentEvent, JSONValue, Message } from '@agentkit/core'

/** The messages and calls of a swarm's member during one task. */
export type MemberMessages = { member: string; messages: Message[] }

/**
 * The messages of a swarm's members, built from the events of its run, because the result has only the messages of the
 * swarm. Members whose messages are all in the result, as in a handoff, are left out.
 */
export function memberMessages(events: readonly AgentEvent[], conversation: readonly Message[]): MemberMessages[] {
  const found: Member[] = []
  const current = new Map<string, Member>()
  for (const event of events) {
    if (event.path.length < 2) continue
    const member = event.path.slice(1).join(' / ')
    const known = current.get(member)
    if (known && event.type !== 'agent-start') readEvent(known, event)
    else {
      const begun: Member = { member, messages: [], step: undefined }
      current.set(member, begun)
      found.push(begun)
      readEvent(begun, event)
    }
  }
  const said = new Set(conversation.map(gist))
  const isNew = ({ messages }: Member): boolean => messages.some((message) => !said.has(gist(message)))
  return found.filter(isNew).map(({ member, messages }) => ({ member, messages }))
}

type Member = MemberMessages & { step: Extract<Message, { role: 'assistant' }> | undefined }

function readEvent(member: Member, event: AgentEvent): void {
  switch (event.type) {
    case 'step-start':
    case 'step-end':
      member.step = undefined
      return
    case 'step-restart':
      // The text of the step so far is void.
      member.messages = member.messages.filter((message) => message !== member.step)
      member.step = undefined
      return
    case 'text-delta': {
      const { content } = stepOf(member)
      const last = content.at(-1)
      if (last?.type === 'text') last.text += event.text
      else content.push({ type: 'text', text: event.text })
      return
    }
    case 'tool-call': {
      const { callId, name, input } = event
      // The cast holds: a model sends JSON.
      stepOf(member).content.push({ type: 'tool-call', callId, name, input: input as JSONValue })
      return
    }
    case 'tool-result': {
      const { callId, name, output, isError } = event
      const content = typeof output === 'string' ? output : (JSON.stringify(output) ?? '')
      member.messages.push({ role: 'tool', callId, name, content, isError })
    }
  }
}

/** The answer of the step that is read. */
function stepOf(member: Member): NonNullable<Member['step']> {
  if (!member.step) {
    member.step = { role: 'assistant', content: [] }
    member.messages.push(member.step)
  }
  return member.step
}

/** Equal for messages that say the same. */
function gist(message: Message): string {
  if (message.role !== 'assistant') return `${message.role} ${'callId' in message ? message.callId : ''}`
  return message.content
    .map((part) => (part.type === 'tool-call' ? part.callId : part.type === 'text' ? part.text.trim() : ''))
    .join('\n')
}
