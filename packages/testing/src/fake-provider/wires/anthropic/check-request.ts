import { ApiError } from '../errors.ts'
import { type Fields, isFields } from '../wire-spec.ts'
import { checkBlock, checkCacheControl } from './check-block.ts'
import { checkMessages } from './check-messages.ts'
import { checkOutputSchema } from './check-output-schema.ts'
import { checkThinkingBlocks, checkThinkingConfig } from './check-thinking.ts'
import { checkTools } from './check-tools.ts'
import { fieldsAt, invalid, listAt, oneOfAt, refuseExtras, textAt, wholeNumberAt } from './checks.ts'
import { modelRules } from './model-rules.ts'

const known = (
  'max_tokens messages model cache_control container diagnostics inference_geo metadata output_config service_tier ' +
  'speed stop_sequences stream system thinking tool_choice tools'
).split(' ')
const sampling = ['temperature', 'top_p', 'top_k']

/** The relevant headers of a request. */
export type Dialect = { version: string; betas: readonly string[] }

/** Rejects what `/v1/messages` rejects. */
export function checkRequest(body: Fields, { version, betas }: Dialect): void {
  textAt(body.model, 'model')
  checkMaxTokens(body)
  refuseExtras(body, version < '2026-10-21' ? [...known, ...sampling] : known, '')
  checkSampling(body)
  checkSystem(body, version)
  const turns = checkMessages(body, version)
  checkThinkingConfig(body, betas)
  checkThinkingBlocks(body, turns)
  checkTools(body)
  checkOutputConfig(body)
  checkStops(body)
  checkCacheMarks(body)
}

function checkMaxTokens(body: Fields): void {
  const maxTokens = wholeNumberAt(body.max_tokens, 'max_tokens')
  if (maxTokens < 0) throw invalid('max_tokens', 'Input should be greater than or equal to 0')
  const most = modelRules(String(body.model)).maxTokens
  if (maxTokens <= most) return
  throw new ApiError(
    400,
    `max_tokens: ${maxTokens} > ${most}, which is the maximum allowed number of output tokens for ${body.model}`,
  )
}

function checkSampling(body: Fields): void {
  const given = sampling.filter((name) => body[name] !== undefined)
  const first = given[0]
  if (first === undefined) return
  if (!modelRules(String(body.model)).takesSampling) {
    throw new ApiError(400, `\`${first}\` is deprecated for this model.`)
  }
  const thinks = isFields(body.thinking) && body.thinking.type !== 'disabled'
  if (thinks && body.temperature !== undefined && body.temperature !== 1) {
    throw new ApiError(400, '`temperature` may only be set to 1 when thinking is enabled or in adaptive mode.')
  }
  if (typeof body.temperature === 'number' && (body.temperature < 0 || body.temperature > 1)) {
    throw invalid('temperature', 'range: 0..1')
  }
  if (body.temperature !== undefined && body.top_p !== undefined) {
    throw new ApiError(400, '`temperature` and `top_p` cannot both be specified for this model. Please use only one.')
  }
}

function checkSystem({ system }: Fields, version: string): void {
  if (system === undefined || typeof system === 'string') return
  listAt(system, 'system').forEach((block, index) => {
    oneOfAt(fieldsAt(block, `system.${index}`).type, ['text'], `system.${index}.type`)
    checkBlock(block, `system.${index}`, { role: 'system', version })
  })
}

function checkOutputConfig(body: Fields): void {
  if (body.output_config === undefined) return
  const config = fieldsAt(body.output_config, 'output_config')
  refuseExtras(config, ['effort', 'format', 'task_budget'], 'output_config')
  if (config.effort !== undefined && config.effort !== null) {
    oneOfAt(config.effort, ['low', 'medium', 'high', 'xhigh', 'max'], 'output_config.effort')
    if (!modelRules(String(body.model)).takesEffort) {
      throw new ApiError(400, 'This model does not support the effort parameter.')
    }
  }
  if (config.format === undefined || config.format === null) return
  const format = fieldsAt(config.format, 'output_config.format')
  oneOfAt(format.type, ['json_schema'], 'output_config.format.type')
  refuseExtras(format, ['type', 'schema'], 'output_config.format')
  checkOutputSchema(fieldsAt(format.schema, 'output_config.format.schema'), 'output_config.format.schema')
}

function checkStops(body: Fields): void {
  if (body.stop_sequences === undefined) return
  listAt(body.stop_sequences, 'stop_sequences').forEach((stop, index) => {
    if (textAt(stop, `stop_sequences.${index}`).trim() !== '') return
    throw new ApiError(400, 'stop_sequences: each stop sequence must contain non-whitespace')
  })
}

/** At most four cache marks, with the longer-lived ones first. */
function checkCacheMarks(body: Fields): void {
  const marks = marksIn([body.tools, body.system, body.messages])
  if (isFields(body.cache_control)) {
    checkCacheControl(body.cache_control, 'cache_control')
    marks.push(body.cache_control)
  }
  if (marks.length > 4) {
    throw new ApiError(400, `A maximum of 4 blocks with cache_control may be provided. Found ${marks.length}.`)
  }
  const short = marks.findIndex((mark) => mark.ttl !== '1h')
  if (short < 0 || marks.slice(short).every((mark) => mark.ttl !== '1h')) return
  throw new ApiError(
    400,
    "a ttl='1h' cache_control block must not come after a ttl='5m' cache_control block. Note that blocks are " +
      'processed in the following order: `tools`, `system`, `messages`.',
  )
}

function marksIn(value: unknown): Fields[] {
  if (Array.isArray(value)) return value.flatMap(marksIn)
  if (!isFields(value)) return []
  const own = isFields(value.cache_control) ? [value.cache_control] : []
  // Only content contains blocks: inputs and results of tools may have fields of any name.
  return [...marksIn(value.content), ...own]
}
