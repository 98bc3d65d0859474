import type { ModelRequest, ToolSpec } from '@agentkit/core'
import { isStrictSchema, isTextType, type MediaPart, objectRoot, withItems } from '@agentkit/wire'
import type { AISDKModel } from './ai-sdk-model.ts'
import { toPrompt } from './prompt.ts'
import { readsMedia } from './supported-urls.ts'

/** The options of one call, of either specification. */
export type CallOptions = { readonly [name: string]: unknown; readonly prompt: readonly object[] }

/** The media of a conversation that a model is sent; a line of text says that others were there. */
export type MediaKinds = 'all' | 'images' | 'none'

/** A request as the AI SDK's models take it. What they do not take is left out, with a warning. */
export async function toCallOptions(
  model: AISDKModel,
  request: ModelRequest,
  media: MediaKinds,
): Promise<{ options: CallOptions; warnings: string[] }> {
  const { specificationVersion: version, provider, modelId } = model
  const { messages, tools = [], toolChoice, output, maxOutputTokens, temperature, stop, reasoning } = request
  const warnings: string[] = []
  const urls = await model.supportedUrls
  const prompt = toPrompt(messages, {
    ...{ id: `${provider}/${modelId}`, isTagged: version === 'v4', warnings },
    reads: (part: MediaPart) => isSent(part, media) && readsMedia(part, urls),
  })
  if (reasoning !== undefined && version === 'v3') {
    warnings.push(
      `"${provider}/${modelId}" takes no effort of reasoning in specification V3: \`reasoning\` was left out.`,
    )
  }
  if (request.parallelToolCalls !== undefined) {
    warnings.push('The AI SDK has no option for parallel tool calls: `parallelToolCalls` was left out.')
  }
  const options = definedOnly({
    ...{ prompt, maxOutputTokens, temperature, stopSequences: stop },
    reasoning: version === 'v4' ? reasoning : undefined,
    responseFormat: output && { type: 'json', schema: withItems(output) },
    providerOptions: output && !isStrictSchema(output) ? looseOutput(provider) : undefined,
    tools: tools.length > 0 ? tools.map(toTool) : undefined,
    toolChoice: tools.length > 0 ? toToolChoice(toolChoice) : undefined,
    includeRawChunks: false,
  })
  return { options: { ...options, prompt }, warnings }
}

/** Text is sent as text: not every provider takes text files. */
function isSent({ type, mediaType = '' }: MediaPart, media: MediaKinds): boolean {
  if (type === 'image') return media !== 'none'
  return media === 'all' && !isTextType(mediaType)
}

/** Some providers refuse a schema whose root is a union; calls are validated against the tool's own schema. */
function toTool({ name, description, inputSchema }: ToolSpec): object {
  return { type: 'function', name, description, inputSchema: withItems(objectRoot(inputSchema)) }
}

/**
 * The providers that enforce a schema strictly refuse many schemas, and take these only with this option. Its name is the
 * same for all of them; others ignore it.
 */
function looseOutput(provider: string): object {
  const [name = ''] = provider.split('.')
  const loose = { strictJsonSchema: false }
  return { [name]: loose, ...(name === 'azure' && { openai: loose }) }
}

function toToolChoice(choice: ModelRequest['toolChoice']): object | undefined {
  if (choice === undefined) return undefined
  return typeof choice === 'object' ? { type: 'tool', toolName: choice.tool } : { type: choice }
}

function definedOnly(options: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined))
}
