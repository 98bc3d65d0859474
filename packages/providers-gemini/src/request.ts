import type { Message, ModelRequest, ToolChoice, ToolSpec } from '@agentkit/core'
import { convertedOf } from '@agentkit/core/internal'
import {
  captureResponse,
  type ErrorContext,
  isRecord,
  type MediaPart,
  type ModelFacts,
  type PreparedCall,
  readableMessages,
  splitInstructions,
  wellFormed,
} from '@agentkit/wire'
import type {
  Content,
  FunctionCallingConfig,
  FunctionCallingConfigMode,
  FunctionDeclaration,
  GenerateContentConfig,
} from '@google/genai'
import type { Connection } from './connection.ts'
import { toGeminiSchema } from './gemini-schema.ts'
import type { GeminiTraits } from './gemini-traits.ts'
import { readsPart } from './media-part.ts'
import { toGeminiContents } from './messages.ts'
import { thinkingConfig } from './reasoning.ts'
import { GeminiReader } from './stream.ts'

export type GeminiRequest = { model: string; contents: Content[]; config: GenerateContentConfig }

/** Maps a request to Gemini's, and how it is sent. */
export function prepareCall(
  connection: Connection,
  context: ErrorContext,
  traits: GeminiTraits,
  facts: ModelFacts | undefined,
): (request: ModelRequest) => PreparedCall {
  return (request) => {
    const { body, warnings } = toGeminiRequest(context.model, request, traits, facts)
    const { model, contents } = body
    return {
      warnings,
      async send(signal) {
        const { models } = await connection.client()
        return captureResponse(
          (fetch) => {
            const config = { ...body.config, ...sdkSettings, httpOptions: { ...connection.httpOptions, fetch } }
            return models.generateContentStream({ model, contents, config })
          },
          { signal, fetch: connection.fetch },
        )
      },
      reader: new GeminiReader(context, request),
    }
  }
}

/** The SDK only makes the request: it calls no tools, and makes no further requests. */
const sdkSettings = { automaticFunctionCalling: { disable: true }, automaticContinuation: false } as const

/** A request as Gemini takes it. What the model does not take is left out, with a warning. */
export function toGeminiRequest(
  model: string,
  request: ModelRequest,
  traits: GeminiTraits,
  facts: ModelFacts | undefined,
): { body: GeminiRequest; warnings: string[] } {
  const warnings: string[] = []
  const messages = readableMessages(request.messages, (part) => reads(part, traits, facts), model, warnings)
  const drop = (option: string): void => void warnings.push(`"${model}" does not take \`${option}\`: it was left out.`)
  const { instructions, rest } = splitInstructions(messages)
  const config: GenerateContentConfig = {}
  const asUser: Message[] = instructions === '' || traits.instructed ? [] : [{ role: 'user', content: instructions }]
  const contents = toGeminiContents([...asUser, ...rest], { owner: `gemini/${model}`, traits }, convertedOf(request))
  if (instructions !== '' && traits.instructed) config.systemInstruction = { parts: [{ text: instructions }] }
  const hasTools = request.tools !== undefined && request.tools.length > 0
  if (hasTools) {
    config.tools = [{ functionDeclarations: (request.tools ?? []).map((tool) => declaration(tool, warnings)) }]
    if (request.toolChoice !== undefined) {
      config.toolConfig = { functionCallingConfig: callingConfig(request.toolChoice) }
    }
    if (request.parallelToolCalls === false) drop('parallelToolCalls')
  }
  if (request.output) {
    if (!traits.instructed || (hasTools && !traits.sinceGemini3)) drop('output')
    else {
      const { schema, opened } = toGeminiSchema(request.output)
      warnOfOpened('The output', opened, warnings)
      config.responseMimeType = 'application/json'
      config.responseJsonSchema = schema
    }
  }
  if (request.maxOutputTokens !== undefined) config.maxOutputTokens = request.maxOutputTokens
  if (request.temperature !== undefined) {
    if (!traits.temperature || facts?.temperature === false) drop('temperature')
    else config.temperature = request.temperature
  }
  if (request.stop && request.stop.length > 0) config.stopSequences = stopSequences(request.stop, warnings)
  const thinkable = facts?.reasoning === false ? undefined : traits.thinking
  const thinking = thinkingConfig(request.reasoning, model, thinkable, warnings)
  if (thinking) config.thinkingConfig = thinking
  return { body: { model, contents, config }, warnings }
}

function reads(part: MediaPart, traits: GeminiTraits, facts: ModelFacts | undefined): boolean {
  if (!readsPart(part, traits)) return false
  if (!facts?.reads) return true
  if (part.type === 'image') return facts.reads.includes('image')
  return part.mediaType !== 'application/pdf' || facts.reads.includes('pdf')
}

function declaration({ name, description, inputSchema }: ToolSpec, warnings: string[]): FunctionDeclaration {
  const declared: FunctionDeclaration = { name, description: wellFormed(description) }
  // An object without properties is refused; no parameters at all are not.
  if (hasNoParameters(inputSchema)) return declared
  const { schema, opened } = toGeminiSchema(inputSchema)
  warnOfOpened(`The input of the tool "${name}"`, opened, warnings)
  return { ...declared, parametersJsonSchema: schema.type === undefined ? { type: 'object', ...schema } : schema }
}

function hasNoParameters({
  type = 'object',
  properties = {},
  additionalProperties,
  ...rest
}: ToolSpec['inputSchema']): boolean {
  const isEmpty = isRecord(properties) && Object.keys(properties).length === 0
  const combines = ['$ref', 'anyOf', 'oneOf', 'allOf', 'patternProperties'].some((keyword) => keyword in rest)
  return type === 'object' && isEmpty && !isRecord(additionalProperties) && additionalProperties !== true && !combines
}

function warnOfOpened(what: string, opened: readonly string[], warnings: string[]): void {
  if (opened.length === 0) return
  warnings.push(
    `${what} holds "${opened.join('", "')}" within itself in a required field: there Gemini takes any value.`,
  )
}

function callingConfig(choice: ToolChoice): FunctionCallingConfig {
  if (typeof choice === 'object') return { mode: mode('ANY'), allowedFunctionNames: [choice.tool] }
  return { mode: mode(modes[choice]) }
}

const modes = { auto: 'AUTO', none: 'NONE', required: 'ANY' } as const

function mode(name: 'AUTO' | 'NONE' | 'ANY'): FunctionCallingConfigMode {
  // The SDK's enum has these values; its module is not loaded for them.
  return name as FunctionCallingConfigMode
}

/** Gemini refuses more of them. */
const mostStops = 5

function stopSequences(stop: readonly string[], warnings: string[]): string[] {
  if (stop.length > mostStops) {
    warnings.push(`Gemini takes ${mostStops} texts to stop at: the rest of \`stop\` was left out.`)
  }
  return stop.slice(0, mostStops)
}
