import type { AgentRun, Runnable } from '@agentkit/core'
import { isAgentKitError } from '@agentkit/core'
import {
  checkOptionNames,
  checkOptions,
  invalidArgument,
  isId,
  isRecord,
  type OptionRules,
  reported,
} from '@agentkit/core/internal'
import type {
  LanguageModelV3,
  LanguageModelV3CallOptions,
  LanguageModelV3Content,
  LanguageModelV3GenerateResult,
  LanguageModelV3StreamPart,
} from '@ai-sdk/provider'
import { toCallError } from './call-error.ts'
import { readPrompt } from './read-prompt.ts'
import { runParts } from './run-parts.ts'
import type { RunPart } from './run-reader.ts'
import { unsupportedSettings } from './unsupported-settings.ts'

/** Whose conversation it is; a call may say so too, by `providerOptions.agentkit`. */
export type ToAISDKOptions = {
  userId?: string
  /** With a session the agent remembers: of the messages only the last one is sent, unless the session is new. */
  sessionId?: string
}

/** A language model of the AI SDK's specification V3. */
export type AgentLanguageModel = {
  readonly specificationVersion: 'v3'
  readonly provider: string
  readonly modelId: string
  readonly supportedUrls: Record<string, RegExp[]>
  // biome-ignore lint/suspicious/noExplicitAny: the types of `ai` 6 and 7 differ, and only `any` fits both.
  doGenerate(options: any): PromiseLike<any>
  // biome-ignore lint/suspicious/noExplicitAny: see above
  doStream(options: any): PromiseLike<any>
}

/**
 * An agent or a swarm as a language model for `streamText` and `generateText` of `ai` 6 and 7. Its own tools appear as
 * tools that the provider has executed.
 *
 * @param options the user and the session; default: the user "default", and no memory
 * @throws AgentKitError `invalid-argument` for an unknown option or a wrong value
 * @example
 * const { textStream } = streamText({ model: toAISDK(agent), prompt: 'Do I need an umbrella in Oslo?' })
 */
export function toAISDK(
  agent: Pick<Runnable, 'id' | 'stream' | 'speaker'>,
  options: ToAISDKOptions = {},
): AgentLanguageModel {
  if (typeof agent?.stream !== 'function') throw invalidArgument('Pass an agent or a swarm: toAISDK(agent).')
  checkOptions(options, optionRules)
  return {
    specificationVersion: 'v3',
    provider: 'agentkit',
    modelId: agent.id,
    // The agent's own model decides what it fetches.
    supportedUrls: { '*/*': [/^https?:\/\//] },
    doGenerate: (call) => generate(agent, options, call),
    doStream: async (call) => ({ stream: await stream(agent, options, call) }),
  } satisfies LanguageModelV3
}

type Agent = Pick<Runnable, 'id' | 'stream' | 'speaker'>

const optionRules: OptionRules<ToAISDKOptions> = { userId: isId, sessionId: isId }

/** A run for one call. The caller's tools and settings have no effect: the agent has its own. */
function startRun(agent: Agent, options: ToAISDKOptions, call: LanguageModelV3CallOptions): AgentRun {
  try {
    const { abortSignal, prompt, responseFormat, providerOptions } = call
    const named = providerOptions?.agentkit ?? {}
    if (!isRecord(named)) throw invalidArgument('`providerOptions.agentkit` is an object: { userId, sessionId }.')
    // The names are checked here, the values by the agent.
    checkOptionNames(named, optionRules, { code: 'invalid-argument' })
    const { userId, sessionId }: ToAISDKOptions = { ...options, ...named }
    const { input, history } = readPrompt(prompt, responseFormat)
    const run = agent.stream(input, {
      ...(userId !== undefined && { userId }),
      ...(sessionId !== undefined && { sessionId }),
      ...(abortSignal && { signal: abortSignal }),
      ...(history.length > 0 && { history }),
      onApproval: 'end',
    })
    // The AI SDK receives its failure.
    return reported(run)
  } catch (error) {
    throw isAgentKitError(error) ? toCallError(error, agent.id) : error
  }
}

function partsOptions(agent: Agent, { abortSignal, responseFormat }: LanguageModelV3CallOptions) {
  const { id: agentId, speaker } = agent
  return { agentId, speaker, signal: abortSignal, isJSON: responseFormat?.type === 'json' }
}

async function generate(
  agent: Agent,
  options: ToAISDKOptions,
  call: LanguageModelV3CallOptions,
): Promise<LanguageModelV3GenerateResult> {
  call.abortSignal?.throwIfAborted()
  const run = startRun(agent, options, call)
  let content: LanguageModelV3Content[] = []
  let atStep = 0
  for await (const part of runParts(run, { ...partsOptions(agent, call), canDrop: true })) {
    const last = content.at(-1)
    switch (part.type) {
      case 'step-begin':
        atStep = content.length
        break
      case 'step-restart':
        content = content.slice(0, atStep)
        break
      case 'text-start':
      case 'reasoning-start':
        content.push({ type: part.type === 'text-start' ? 'text' : 'reasoning', text: '' })
        break
      case 'text-delta':
      case 'reasoning-delta':
        if (last?.type === 'text' || last?.type === 'reasoning') last.text += part.delta
        break
      case 'tool-call':
      case 'tool-result':
      case 'source':
        content.push(part)
        break
      case 'finish': {
        const { type: _, ...end } = part
        const response = { id: run.runId, modelId: agent.id, timestamp: new Date() }
        return { ...end, content, response, warnings: unsupportedSettings(call) }
      }
    }
  }
  // `runParts` ends with `finish`, or throws.
  throw new TypeError('The run has not finished.')
}

/** Resolves with the first part that the run has made, so that the AI SDK may retry what failed before. */
async function stream(
  agent: Agent,
  options: ToAISDKOptions,
  call: LanguageModelV3CallOptions,
): Promise<ReadableStream<LanguageModelV3StreamPart>> {
  call.abortSignal?.throwIfAborted()
  const run = startRun(agent, options, call)
  const parts = runParts(run, { ...partsOptions(agent, call), canDrop: false })
  const first = await parts.next()
  const head: RunPart[] = [{ type: 'stream-start', warnings: unsupportedSettings(call) }]
  if (!first.done) head.push(first.value)
  return new ReadableStream<LanguageModelV3StreamPart>(
    {
      async pull(controller) {
        const waiting = head.shift() as LanguageModelV3StreamPart | undefined
        if (waiting) return controller.enqueue(waiting)
        try {
          const { done, value } = await parts.next()
          if (done) controller.close()
          // Marks of steps are for callers that can drop parts.
          else controller.enqueue(value as LanguageModelV3StreamPart)
        } catch (error) {
          if (call.abortSignal?.aborted) return controller.error(error)
          controller.enqueue({ type: 'error', error })
          controller.close()
        }
      },
      async cancel() {
        run.cancel()
        await parts.return(undefined)
      },
    },
    { highWaterMark: 0 },
  )
}
