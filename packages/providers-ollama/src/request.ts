import type { ModelRequest, ToolSpec } from '@agentkit/core'
import { convertedOf } from '@agentkit/core/internal'
import {
  type ErrorContext,
  isCommonImage,
  type MediaPart,
  type PreparedCall,
  readableMessages,
  wellFormed,
} from '@agentkit/wire'
import type { ChatRequest, Options, Tool } from 'ollama/browser'
import type { Connection } from './connection.ts'
import { type OllamaMessage, toOllamaMessages } from './messages.ts'
import { think } from './reasoning.ts'
import { OllamaReader } from './stream.ts'
import { toolSchema } from './tool-schema.ts'

/** How the model is run. */
export type RunOptions = { contextWindow?: number | undefined; keepAlive?: string | number | undefined }

/** The body as the server takes it: the SDK's type has fewer fields. */
export type OllamaRequest = Omit<ChatRequest, 'messages'> & {
  messages: OllamaMessage[]
  stream: true
  /** A prompt that is too long fails, instead of losing its beginning. */
  truncate: false
  /** An answer without room fails too. */
  shift: false
}

/** Maps a request to Ollama's, and how it is sent. */
export function prepareCall(
  connection: Connection,
  context: ErrorContext,
  run: RunOptions,
): (request: ModelRequest) => PreparedCall {
  return (request) => {
    const { body, warnings } = toOllamaRequest(context.model, request, run)
    return {
      warnings,
      send: (signal) => connection.send((client) => client.chat(body), signal),
      reader: new OllamaReader(context, textLength(body.messages), request),
    }
  }
}

function textLength(messages: readonly OllamaMessage[]): number {
  return messages.reduce((length, { content }) => length + content.length, 0)
}

/** Ollama takes images as bytes, and no files; only the server knows whether a model has vision. */
function readsPart(part: MediaPart): boolean {
  return isCommonImage(part) && part.base64 !== undefined
}

/** A streaming request as Ollama takes it. What it does not take is left out, with a warning. */
export function toOllamaRequest(
  model: string,
  request: ModelRequest,
  { contextWindow, keepAlive }: RunOptions,
): { body: OllamaRequest; warnings: string[] } {
  const warnings: string[] = []
  const messages = readableMessages(request.messages, readsPart, model, warnings)
  const body: OllamaRequest = {
    model,
    messages: toOllamaMessages(messages, `ollama/${model}`, convertedOf(request)),
    stream: true,
    truncate: false,
    shift: false,
  }
  const tools = chosenTools(request, warnings)
  if (tools.length > 0) body.tools = tools.map(ollamaTool)
  if (request.output) {
    if (tools.length > 0) warnings.push('Ollama takes no schema for the answer beside tools: it was left out.')
    else body.format = request.output
  }
  const thinking = think(model, request.reasoning, body.format !== undefined, warnings)
  if (thinking !== undefined) body.think = thinking
  const options = modelOptions(request, contextWindow)
  if (Object.keys(options).length > 0) body.options = options
  if (keepAlive !== undefined) body.keep_alive = keepAlive
  return { body, warnings }
}

/** Ollama leaves the choice to the model: what it must not call is not shown to it. */
function chosenTools({ tools = [], toolChoice, parallelToolCalls }: ModelRequest, warnings: string[]): ToolSpec[] {
  if (tools.length === 0 || toolChoice === 'none') return []
  if (parallelToolCalls === false) warnings.push('Ollama does not take `parallelToolCalls`: it was left out.')
  if (toolChoice === undefined || toolChoice === 'auto') return tools
  if (toolChoice === 'required') {
    warnings.push('Ollama does not take `toolChoice`: the model may answer without a call.')
    return tools
  }
  const { tool } = toolChoice
  warnings.push(`Ollama does not take \`toolChoice\`: the model was shown "${tool}" alone, and may not call it.`)
  return tools.filter(({ name }) => name === tool)
}

function ollamaTool({ name, description, inputSchema }: ToolSpec): Tool {
  return {
    type: 'function',
    function: { name, description: wellFormed(description), parameters: toolSchema(inputSchema) },
  }
}

function modelOptions(request: ModelRequest, contextWindow: number | undefined): Partial<Options> {
  const options: Partial<Options> = {}
  if (contextWindow !== undefined) options.num_ctx = contextWindow
  if (request.maxOutputTokens !== undefined) options.num_predict = request.maxOutputTokens
  if (request.temperature !== undefined) options.temperature = request.temperature
  if (request.stop?.length) options.stop = request.stop
  return options
}
