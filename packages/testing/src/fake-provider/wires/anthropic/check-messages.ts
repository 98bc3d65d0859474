import { ApiError } from '../errors.ts'
import type { Fields } from '../wire-spec.ts'
import { checkBlock } from './check-block.ts'
import { fieldsAt, invalid, listAt, oneOfAt, refuseExtras } from './checks.ts'
import { isThinking, type Turn, turnsOf } from './conversation.ts'
import { modelRules } from './model-rules.ts'

/** Rejects a conversation that the API rejects, and returns its turns. */
export function checkMessages(body: Fields, version: string): Turn[] {
  const messages = listAt(body.messages, 'messages').map((message, index) => {
    return checkMessage(message, `messages.${index}`, version)
  })
  if (messages.length === 0) throw new ApiError(400, 'messages: at least one message is required')
  if (messages[0]?.role !== 'user') throw new ApiError(400, 'messages: first message must use the "user" role')
  const turns = turnsOf(messages)
  turns.forEach((turn, index) => {
    checkResults(turn, turns[index - 1])
    checkCallsAreAnswered(turn, turns[index + 1])
  })
  checkIdsAreUnique(turns)
  checkPrefill(body, turns.at(-1))
  return turns
}

function checkMessage(candidate: unknown, path: string, version: string): Fields {
  const message = fieldsAt(candidate, path)
  const role = oneOfAt(message.role, ['user', 'assistant', 'system'], `${path}.role`)
  refuseExtras(message, ['role', 'content'], path)
  if (message.content === undefined) throw invalid(`${path}.content`, 'Field required')
  if (message.content === '' || (Array.isArray(message.content) && message.content.length === 0)) {
    throw invalid(path, 'all messages must have non-empty content except for the optional final assistant message')
  }
  if (typeof message.content === 'string') checkBlock({ type: 'text', text: message.content }, path, { role, version })
  else {
    listAt(message.content, `${path}.content`).forEach((block, index) => {
      checkBlock(block, `${path}.content.${index}`, { role, version })
    })
  }
  return message
}

/** Each result answers one call of the message before, once. */
function checkResults(turn: Turn, before: Turn | undefined): void {
  const open = new Set(before?.role === 'assistant' ? callIds(before) : [])
  const answered = new Set<unknown>()
  for (const { block, path } of turn.blocks) {
    if (block.type !== 'tool_result') continue
    const id = block.tool_use_id
    if (answered.has(id)) {
      throw invalid(
        path,
        `each tool_use must have a single result. Found multiple \`tool_result\` blocks with id: ${id}`,
      )
    }
    if (!open.has(id)) {
      throw invalid(
        path,
        `unexpected \`tool_use_id\` found in \`tool_result\` blocks: ${id}. Each \`tool_result\` block must have a ` +
          'corresponding `tool_use` block in the previous message.',
      )
    }
    answered.add(id)
  }
}

/** The results come first in the message after the calls, and only calls and thinking may follow a call. */
function checkCallsAreAnswered(turn: Turn, next: Turn | undefined): void {
  if (turn.role !== 'assistant') return
  const ids = callIds(turn)
  const firstCall = turn.blocks.findIndex(({ block }) => block.type === 'tool_use')
  const textAfter = turn.blocks.some(({ block }, index) => {
    return firstCall >= 0 && index > firstCall && block.type !== 'tool_use' && !isThinking(block)
  })
  const answers = next?.role === 'user' ? leadingResults(next) : []
  const missing = textAfter ? ids : ids.filter((id) => !answers.includes(id))
  if (missing.length === 0) return
  throw invalid(
    turn.path,
    `\`tool_use\` ids were found without \`tool_result\` blocks immediately after: ${missing.join(', ')}. Each ` +
      '`tool_use` block must have a corresponding `tool_result` block in the next message.',
  )
}

function callIds(turn: Turn): unknown[] {
  return turn.blocks.filter(({ block }) => block.type === 'tool_use').map(({ block }) => block.id)
}

function leadingResults(turn: Turn): unknown[] {
  const other = turn.blocks.findIndex(({ block }) => block.type !== 'tool_result')
  return turn.blocks.slice(0, other < 0 ? undefined : other).map(({ block }) => block.tool_use_id)
}

function checkIdsAreUnique(turns: readonly Turn[]): void {
  const ids = turns.flatMap(callIds)
  if (new Set(ids).size < ids.length) throw new ApiError(400, 'messages: `tool_use` ids must be unique')
}

function checkPrefill({ model }: Fields, last: Turn | undefined): void {
  if (last?.role !== 'assistant') return
  if (!modelRules(String(model)).takesPrefill) {
    throw new ApiError(
      400,
      'This model does not support assistant message prefill. The conversation must end with a user message.',
    )
  }
  const text = last.blocks.at(-1)?.block.text
  if (typeof text === 'string' && text !== text.trimEnd()) {
    throw new ApiError(400, 'messages: final assistant content cannot end with trailing whitespace')
  }
}
