import type { Model, ModelInfo, ModelRequest } from '../contracts/model.ts'
import { AgentKitError } from '../data/errors.ts'
import type { Message } from '../data/message.ts'
import { estimateMessage, estimateRequest } from '../tokens/estimate-tokens.ts'

/** Estimates may exceed the real number of tokens by this factor. */
export const highSide = 2.5

/** The tokens that the messages of a request may take: the context window without the answer and the rest of the request. */
export function roomOf(info: ModelInfo | undefined, request: ModelRequest): number {
  const room = roomLeft(info, request)
  if (room > 0) return room
  throw new AgentKitError(
    'context-overflow',
    `The instruction and the tools take about ${estimateRequest(request, info)} tokens, and the model has a window of ` +
      `${info?.contextWindow}. Shorten them, or use a model with a larger context window.`,
  )
}

/** The same beside messages that may be left out, as they are where they take most of the room. */
export function roomBeside(
  optional: readonly Message[],
  info: ModelInfo | undefined,
  request: ModelRequest,
): { room: number; isLeftOut: boolean } {
  const room = roomOf(info, request)
  if (optional.length === 0 || room === Number.POSITIVE_INFINITY) return { room, isLeftOut: false }
  const beside = roomLeft(info, { ...request, messages: [...request.messages, ...optional] })
  return beside > room / 4 ? { room: beside, isLeftOut: false } : { room, isLeftOut: true }
}

/** Negative where the rest of the request alone does not fit. */
function roomLeft(info: ModelInfo | undefined, request: ModelRequest): number {
  const window = info?.contextWindow
  if (window === undefined) return Number.POSITIVE_INFINITY
  const answer = Math.min(info?.maxOutputTokens ?? window / 8, window / 3)
  const rest = estimateRequest(request, info)
  const room = Math.floor(window - answer - rest)
  return room > window / 8 ? room : Math.floor(window - answer - rest / highSide)
}

/** Whether messages take no more than a room, counted only where their length leaves a doubt. */
export function fitsIn(messages: readonly Message[], room: number, info: ModelInfo | undefined): boolean {
  if (room === Number.POSITIVE_INFINITY || mostTokens(messages, room) <= room) return true
  return messages.reduce((tokens, message) => tokens + estimateMessage(message, info), 0) <= room
}

/** An upper bound of the tokens, by length alone: most conversations are far below the window and need no counting. */
export function mostTokens(messages: readonly Message[], enough: number): number {
  let tokens = 0
  for (const { content } of messages) {
    tokens += 64
    if (typeof content === 'string') tokens += content.length * 4
    else for (const part of content) tokens += mostOfPart(part)
    if (tokens > enough) break
  }
  return tokens
}

function mostOfPart(part: Exclude<Message['content'][number], string>): number {
  // The size of a provider's opaque data, of images and of files is not known by their length.
  if ('opaque' in part && part.opaque) return Number.POSITIVE_INFINITY
  if (part.type === 'text') return 32 + part.text.length * 4
  if (part.type !== 'tool-call') return Number.POSITIVE_INFINITY
  return 64 + (part.name.length + (part.inputText ?? JSON.stringify(part.input) ?? '').length) * 4
}

/** What the question's files and images may take: a rough guess, so the model decides instead of a refusal here. */
export function filesIn(question: Message | undefined, { info }: Model): number {
  const hasFiles = Array.isArray(question?.content) && question.content.some(({ type }) => type !== 'text')
  return question && hasFiles ? estimateMessage(question, info) : 0
}
