import { ApiError } from '../errors.ts'
import { type Fields, isFields } from '../wire-spec.ts'
import { checkDocument, checkImage, type Speaker } from './check-media.ts'
import { fieldsAt, invalid, listAt, matchAt, oneOfAt, refuseExtras, textAt, unexpectedTag } from './checks.ts'

type Kind = {
  fields: readonly string[]
  /** The role whose messages may contain it; both roles when absent. */
  only?: 'user' | 'assistant'
  check?: (block: Fields, path: string, speaker: Speaker) => void
}

const kinds: Record<string, Kind> = {
  text: { fields: ['text', 'cache_control', 'citations'], check: checkText },
  image: { fields: ['source', 'cache_control', 'transformations'], check: checkImage },
  document: { fields: ['source', 'cache_control', 'citations', 'context', 'title'], check: checkDocument },
  search_result: { fields: ['content', 'source', 'title', 'cache_control', 'citations'] },
  thinking: { fields: ['thinking', 'signature'], only: 'assistant', check: checkThinking },
  redacted_thinking: { fields: ['data'], only: 'assistant', check: checkRedactedThinking },
  tool_use: {
    fields: ['id', 'name', 'input', 'cache_control', 'caller', 'toolset_name'],
    only: 'assistant',
    check: checkToolUse,
  },
  tool_result: {
    fields: ['tool_use_id', 'content', 'is_error', 'cache_control', 'toolset_name'],
    only: 'user',
    check: checkToolResult,
  },
}
/** Blocks of the API's own tools are not checked. */
const serverBlocks = /^(server_tool_use|container_upload|\w+_tool_result)$/

/** Rejects a content block that the API rejects. */
export function checkBlock(candidate: unknown, place: string, speaker: Speaker): void {
  const block = fieldsAt(candidate, place)
  const type = String(block.type)
  if (serverBlocks.test(type)) return
  const kind = kinds[type]
  if (!kind) throw unexpectedTag(place, block.type, Object.keys(kinds))
  const path = `${place}.${type}`
  refuseExtras(block, ['type', ...kind.fields], path)
  if (isFields(block.cache_control)) checkCacheControl(block.cache_control, `${path}.cache_control`)
  checkSpeaker(type, place, speaker)
  kind.check?.(block, path, speaker)
}

export function checkCacheControl(mark: Fields, path: string): void {
  oneOfAt(mark.type, ['ephemeral'], `${path}.type`)
  refuseExtras(mark, ['type', 'ttl'], path)
  if (mark.ttl !== undefined) oneOfAt(mark.ttl, ['5m', '1h'], `${path}.ephemeral.ttl`)
}

function checkSpeaker(type: string, place: string, { role }: Speaker): void {
  const message = place.replace(/\.content\.\d+$/, '')
  if (role === 'system' && type !== 'text') throw invalid(message, 'system messages can only have `text` blocks')
  const only = kinds[type]?.only ?? role
  if (only !== role) throw invalid(message, `\`${type}\` blocks can only be in \`${only}\` messages`)
}

/** The API reports a blank text without its position. */
function checkText(block: Fields, path: string, { role, version }: Speaker): void {
  const text = textAt(block.text, `${path}.text`)
  const root = path.split('.')[0]
  if (text === '') throw new ApiError(400, `${root}: text content blocks must be non-empty`)
  if (text.trim() === '') throw new ApiError(400, `${root}: text content blocks must contain non-whitespace text`)
  if (role !== 'user' || version < '2026-10-21') return
  if (Array.isArray(block.citations) && block.citations.length > 0) {
    throw invalid(`${path}.citations`, '`citations` are not permitted on `text` blocks of `user` messages')
  }
}

function checkThinking(block: Fields, path: string): void {
  textAt(block.thinking, `${path}.thinking`)
  textAt(block.signature, `${path}.signature`)
}

function checkRedactedThinking(block: Fields, path: string): void {
  textAt(block.data, `${path}.data`)
}

function checkToolUse(block: Fields, path: string): void {
  const id = matchAt(block.id, /^[a-zA-Z0-9_-]+$/, `${path}.id`)
  if (id.length > 64) throw invalid(`${path}.id`, 'String should have at most 64 characters')
  matchAt(block.name, /^[a-zA-Z0-9_-]{1,128}$/, `${path}.name`)
  if (block.input === undefined) throw invalid(`${path}.input`, 'Field required')
  if (!isFields(block.input)) throw invalid(`${path}.input`, 'Input should be a valid dictionary')
}

function checkToolResult(block: Fields, path: string, speaker: Speaker): void {
  textAt(block.tool_use_id, `${path}.tool_use_id`)
  const { content, is_error: isError } = block
  if (isError !== undefined && typeof isError !== 'boolean') {
    throw invalid(`${path}.is_error`, 'Input should be a valid boolean')
  }
  const isEmpty = content === undefined || content === '' || (Array.isArray(content) && content.length === 0)
  if (isError && isEmpty) throw invalid(path, 'content cannot be empty if `is_error` is true')
  if (content === undefined || typeof content === 'string') return
  listAt(content, `${path}.content`).forEach((part, index) => {
    const place = `${path}.content.${index}`
    const type = String(fieldsAt(part, place).type)
    const allowed = ['text', 'image', 'search_result', 'document', 'tool_reference', 'browser_state']
    if (!allowed.includes(type)) throw unexpectedTag(place, type, allowed)
    if (isError && type !== 'text') throw invalid(path, 'all content must be type `text` if `is_error` is true')
    if (kinds[type]) checkBlock(part, place, speaker)
  })
}
