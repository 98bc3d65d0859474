import type { JSONSchema, ModelRequest, ToolChoice, ToolSpec } from '@agentkit/core'
import { convertedOf } from '@agentkit/core/internal'
import {
  ChatReader,
  type ErrorContext,
  isStrictSchema,
  type ModelFacts,
  once,
  type PreparedCall,
  readableMessages,
  toolParameters,
  wellFormed,
} from '@agentkit/wire'
import type { chatStream } from '@mistralai/mistralai/funcs/chatStream.js'
import type { ChatCompletionStreamRequest } from '@mistralai/mistralai/models/components/chatcompletionstreamrequest.js'
import type { Connection } from './connection.ts'
import { readsPart, toMistralMessages } from './messages.ts'
import { reasoningEffort } from './reasoning.ts'

/** The only function of the SDK that is called: the whole SDK takes longer to load. */
export const loadChatStream: () => Promise<{ chatStream: typeof chatStream }> = once(
  () => import('@mistralai/mistralai/funcs/chatStream.js'),
)

/** Maps a request to Mistral's, and how it is sent. */
export function prepareCall(
  connection: Connection,
  context: ErrorContext,
  facts: ModelFacts | undefined,
): (request: ModelRequest) => PreparedCall {
  return (request) => {
    const { body, warnings } = toMistralRequest(context.model, request, facts)
    return {
      warnings,
      async send(signal) {
        const { chatStream } = await loadChatStream()
        return connection.send((client, options) => chatStream(client, body, options), signal)
      },
      reader: new ChatReader(context, request),
    }
  }
}

/** A streaming request as the SDK takes it. What the model does not take is left out, with a warning. */
export function toMistralRequest(
  model: string,
  request: ModelRequest,
  facts: ModelFacts | undefined,
): { body: ChatCompletionStreamRequest; warnings: string[] } {
  const warnings: string[] = []
  const messages = readableMessages(request.messages, (part) => readsPart(part, facts), model, warnings)
  const body: ChatCompletionStreamRequest = {
    model,
    messages: toMistralMessages(messages, `mistral/${model}`, convertedOf(request)),
    stream: true,
  }
  const { tools = [], toolChoice, parallelToolCalls, output } = request
  if (tools.length > 0) {
    body.tools = tools.map(mistralTool)
    if (toolChoice !== undefined) body.toolChoice = mistralToolChoice(toolChoice)
    if (parallelToolCalls !== undefined) body.parallelToolCalls = parallelToolCalls
    if (output) warnings.push('Mistral takes no schema for the answer beside tools: it was left out.')
  } else if (output) {
    body.responseFormat = { type: 'json_schema', jsonSchema: answerSchema(output) }
  }
  if (request.maxOutputTokens !== undefined) body.maxTokens = request.maxOutputTokens
  if (request.stop?.length) body.stop = request.stop
  const { temperature } = request
  if (temperature !== undefined) {
    if (facts?.temperature === false) {
      warnings.push(`"${model}" does not take \`temperature\`: it was left out.`)
    } else {
      body.temperature = Math.min(mostTemperature, temperature)
      if (temperature > mostTemperature) {
        warnings.push(`Mistral's \`temperature\` goes up to ${mostTemperature}: ${temperature} was sent as that.`)
      }
    }
  }
  const effort = reasoningEffort(model, request.reasoning, facts, warnings)
  if (effort !== undefined) body.reasoningEffort = effort
  return { body, warnings }
}

const mostTemperature = 1.5

function mistralTool({ name, description, inputSchema }: ToolSpec): MistralTool {
  const parameters = withoutId(toolParameters(inputSchema))
  const strict = isStrictSchema(parameters)
  return { type: 'function', function: { name, description: wellFormed(description), parameters, strict } }
}

type MistralTool = NonNullable<ChatCompletionStreamRequest['tools']>[number]

function answerSchema(output: JSONSchema): { name: string; schemaDefinition: JSONSchema; strict: boolean } {
  const { $schema: _dialect, ...schema } = withoutId(output)
  return { name: 'answer', schemaDefinition: schema, strict: isStrictSchema(schema) }
}

/** Mistral cannot compile a schema with an `$id`. */
function withoutId({ $id: _id, ...schema }: JSONSchema): JSONSchema {
  return schema
}

function mistralToolChoice(choice: ToolChoice): NonNullable<ChatCompletionStreamRequest['toolChoice']> {
  return typeof choice === 'string' ? choice : { type: 'function', function: { name: choice.tool } }
}
