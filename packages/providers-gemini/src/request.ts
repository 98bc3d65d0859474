import type { Message, ModelRequest, ToolChoice, ToolSpec } from '@agentkit/core'
import { isBlank, wellFormed } from '@agentkit/wire'
import type {
  Content,
  FunctionCallingConfig,
  FunctionCallingConfigMode,
  FunctionDeclaration,
  GenerateContentConfig,
} from '@google/genai'
import { toGeminiSchema } from './gemini-schema.ts'
import { isRecord } from './json-schema.ts'
import { type Reader, toContents } from './messages.ts'
import { thinkingConfig } from './thinking.ts'

export type GeminiRequest = { model: string; contents: Content[]; config: GenerateContentConfig }

/** What a model is known to refuse, by the table of models. */
export type KnownLimits = { temperature?: boolean | undefined; reasoning?: boolean | undefined }

/**
 * A request as Gemini takes it.
 * @param model the id that the server knows
 */
export function toGeminiRequest(
  model: string,
  request: ModelRequest,
  reader: Reader,
  limits: KnownLimits = {},
): { body: GeminiRequest; warnings: string[] } {
  const warnings: string[] = []
  const { traits } = reader
  const drop = (option: string): void => void warnings.push(`"${model}" does not take \`${option}\`: it was left out.`)
  const { instruction, rest } = splitInstruction(request.messages)
  const config: GenerateContentConfig = {}
  const asUser: Message[] = instruction === '' || traits.instructed ? [] : [{ role: 'user', content: instruction }]
  const contents = toContents([...asUser, ...rest], reader, warnings)
  if (instruction !== '' && traits.instructed) config.systemInstruction = { parts: [{ text: instruction }] }
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
    if (limits.temperature === false) drop('temperature')
    else config.temperature = request.temperature
  }
  if (request.stop && request.stop.length > 0) config.stopSequences = stopSequences(request.stop, warnings)
  const thinkable = limits.reasoning === false ? undefined : traits.thinking
  const thinking = thinkingConfig(request.reasoning, model, thinkable, warnings)
  if (thinking) config.thinkingConfig = thinking
  return { body: { model, contents, config }, warnings }
}

/** The system messages that stand first are the instruction. */
function splitInstruction(messages: readonly Message[]): { instruction: string; rest: Message[] } {
  const instruction: string[] = []
  let first = 0
  for (let message = messages[0]; message?.role === 'system'; message = messages[++first]) {
    if (!isBlank(message.content)) instruction.push(wellFormed(message.content))
  }
  return { instruction: instruction.join('\n\n'), rest: messages.slice(first) }
}

function declaration({ name, description, inputSchema }: ToolSpec, warnings: string[]): FunctionDeclaration {
  const declared: FunctionDeclaration = { name, description: wellFormed(description) }
  // An object without properties is refused; no parameters at all are not.
  if (takesNothing(inputSchema)) return declared
  const { schema, opened } = toGeminiSchema(inputSchema)
  warnOfOpened(`The input of the tool "${name}"`, opened, warnings)
  return { ...declared, parametersJsonSchema: schema.type === undefined ? { type: 'object', ...schema } : schema }
}

function takesNothing({
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
const mostStopSequences = 5

function stopSequences(stop: readonly string[], warnings: string[]): string[] {
  if (stop.length > mostStopSequences) {
    warnings.push(`Gemini takes ${mostStopSequences} stop sequences: the others were left out.`)
  }
  return stop.slice(0, mostStopSequences)
}
