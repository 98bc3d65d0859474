import type { JSONSchema, ModelRequest } from '@agentkit/core'
import { convertedOf } from '@agentkit/core/internal'
import {
  type ErrorContext,
  isBlank,
  type PreparedCall,
  postForStream,
  readableMessages,
  splitInstructions,
} from '@agentkit/wire'
import type { Connection } from './connection.ts'
import { toAnthropicTurns } from './messages.ts'
import type { ClaudeTraits } from './model-info.ts'
import { outputSchema } from './output-schema.ts'
import { withCaching } from './prompt-caching.ts'
import { reasoningOf } from './reasoning.ts'
import { AnthropicReader } from './stream.ts'
import { type RenamedKeys, toTools } from './tools.ts'
import type { AnthropicRequest, Thinking } from './types.ts'
import { readsPart } from './user-blocks.ts'

/** The traits of the model, and the settings of the user. */
export type RequestSettings = {
  traits: ClaudeTraits
  /** The longest answer of the model, in tokens, where it is known. */
  longestAnswer: number | undefined
  promptCaching: boolean
  /** The beta features in the user's own headers; `undefined` where no header may be added. */
  betas: readonly string[] | undefined
}

/** A body with its headers and warnings. */
export type ConvertedRequest = {
  body: AnthropicRequest
  headers: Record<string, string>
  warnings: string[]
  renamed: RenamedKeys
}

/** Maps a request to Anthropic's, and how it is sent. */
export function prepareCall(
  connection: Connection,
  context: ErrorContext,
  settings: Omit<RequestSettings, 'betas'>,
): (request: ModelRequest) => PreparedCall {
  const { betas } = connection
  return (request) => {
    const { body, headers, warnings, renamed } = toAnthropicRequest(context.model, request, { ...settings, betas })
    return {
      warnings,
      send: (signal) => postForStream(connection, '/v1/messages', body, { signal, headers }),
      reader: new AnthropicReader(context, renamed, request),
    }
  }
}

/** A streaming request as Anthropic takes it. What the model does not take is left out, with a warning. */
export function toAnthropicRequest(model: string, request: ModelRequest, settings: RequestSettings): ConvertedRequest {
  const warnings: string[] = []
  const messages = readableMessages(request.messages, readsPart, model, warnings)
  const { instructions, rest } = splitInstructions(messages)
  const owner = leavesThinking(request, settings.traits) ? '' : `anthropic/${model}`
  const turns = toAnthropicTurns(rest, owner, warnings, convertedOf(request))
  const maxTokens = maxTokensOf(model, request, settings, warnings)
  const traits = settings.betas ? settings.traits : { ...settings.traits, bindsThinking: false }
  const reasoning = reasoningOf(model, request, { traits, maxTokens, turns }, warnings)
  const { renamed, ...tools } = toTools(request, turns, whyUnforced(model, traits, reasoning.thinking), warnings)
  const body: AnthropicRequest = { model, max_tokens: maxTokens, messages: turns, stream: true, ...tools }
  if (instructions !== '') body.system = [{ type: 'text', text: instructions }]
  if (reasoning.thinking) body.thinking = reasoning.thinking
  if (reasoning.effort) body.output_config = { effort: reasoning.effort }
  if (request.output) addOutput(body, model, request.output, traits, warnings)
  addSampling(body, model, request, traits, warnings)
  return {
    body: request.cache && settings.promptCaching ? withCaching(body, request.cache) : body,
    headers: headersOf(body, settings.betas),
    warnings,
    renamed,
  }
}

/** A request that turns thinking off has no control of what happens to thinking that is bound to other instructions. */
function leavesThinking({ reasoning }: ModelRequest, { bindsThinking, withoutThinking }: ClaudeTraits): boolean {
  return reasoning === 'none' && bindsThinking && withoutThinking !== 'never'
}

function maxTokensOf(
  model: string,
  { maxOutputTokens: asked }: ModelRequest,
  { traits, longestAnswer }: RequestSettings,
  warnings: string[],
): number {
  if (asked === undefined) return longestAnswer ?? traits.maxOutputTokens
  if (longestAnswer === undefined || asked <= longestAnswer) return asked
  warnings.push(`"${model}" answers with up to ${longestAnswer} tokens: \`maxOutputTokens\` was lowered to that.`)
  return longestAnswer
}

/** Why a model cannot be forced to call a tool. */
function whyUnforced(model: string, { forcedTools }: ClaudeTraits, thinking: Thinking | undefined): string | undefined {
  if (!forcedTools) return `"${model}" cannot be made to call a tool`
  return isOn(thinking) ? `"${model}" cannot be made to call a tool while it reasons` : undefined
}

function isOn(thinking: Thinking | undefined): boolean {
  return thinking?.type === 'adaptive' || thinking?.type === 'enabled'
}

function addOutput(
  body: AnthropicRequest,
  model: string,
  output: JSONSchema,
  { nativeOutput }: ClaudeTraits,
  warnings: string[],
): void {
  const schema = nativeOutput ? outputSchema(output) : undefined
  if (schema) {
    body.output_config = { ...body.output_config, format: { type: 'json_schema', schema } }
    return
  }
  const text = `Answer with JSON alone that follows this JSON Schema: ${JSON.stringify(output)}`
  body.system = [...(body.system ?? []), { type: 'text', text }]
  warnings.push(`"${model}" cannot be held to the schema of the output: it was asked to follow it.`)
}

function addSampling(
  body: AnthropicRequest,
  model: string,
  { temperature, stop = [] }: ModelRequest,
  { temperature: takesTemperature }: ClaudeTraits,
  warnings: string[],
): void {
  const stops = stop.filter((text) => !isBlank(text))
  if (stops.length > 0) body.stop_sequences = stops
  if (stops.length < stop.length) warnings.push('Claude does not stop at white space: such a `stop` was left out.')
  // 1 is the default, which every model takes.
  if (temperature === undefined || temperature === 1) return
  if (!takesTemperature || isOn(body.thinking)) {
    warnings.push(
      `"${model}" does not take \`temperature\`${takesTemperature ? ' while it reasons' : ''}: it was left out.`,
    )
  } else {
    body.temperature = Math.min(1, Math.max(0, temperature))
    if (temperature > 1) warnings.push(`Claude's \`temperature\` goes up to 1: ${temperature} was sent as 1.`)
  }
}

function headersOf({ temperature, thinking }: AnthropicRequest, betas: readonly string[] = []): Record<string, string> {
  const headers: Record<string, string> = {}
  // The newest version of the API has no sampling parameters.
  if (temperature !== undefined) headers['anthropic-version'] = '2023-06-01'
  if (thinking?.block_binding) headers['anthropic-beta'] = [...betas, 'thinking-binding-controls-2026-08-01'].join(',')
  return headers
}
