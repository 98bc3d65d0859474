import type { AssistantMessage, AssistantPart, JSONValue, Message, UserMessage } from '@agentkit/core'
import { assertNever } from '@agentkit/core/internal'
import {
  argumentsObject,
  type CallIds,
  type ConversionCaches,
  continuePrompt,
  convertConversation,
  isBlank,
  isRecord,
  partsOf,
  repairTranscript,
  wellFormed,
  wireCallId,
} from '@agentkit/wire'
import type { Content, Part } from '@google/genai'
import type { GeminiTraits } from './gemini-traits.ts'
import { mediaPart } from './media-part.ts'
import { geminiToolName, resultContents } from './tool-results.ts'

/** The model that reads the conversation. */
export type Reader = {
  /** `provider/model`: opaque data of any other owner is left out. */
  owner: string
  traits: GeminiTraits
}

/**
 * A conversation in Gemini's form: it begins and ends with a user's turn, and the roles of its contents alternate.
 * Media are in their plain form.
 */
export function toGeminiContents(
  messages: readonly Message[],
  reader: Reader,
  ofRun?: Map<object, unknown>,
): Content[] {
  const converted = convertConversation(messages, {
    key: reader.owner,
    caches,
    ofRun,
    toWireId: (callId) => wireCallId(callId, longestCallId),
    convert: (part, ids) => convertPart(part, ids, reader),
  })
  return inTurns(converted)
}

/** The caches by owner, because the owner names the model and decides which opaque data is sent. */
const caches: ConversionCaches<Content> = new Map()

const longestCallId = 64

function convertPart(messages: readonly Message[], ids: CallIds, reader: Reader): Content[] {
  const contents: Content[] = []
  const repaired = repairTranscript(messages, ids)
  for (let index = 0; index < repaired.length; index++) {
    const message = repaired[index] as Message
    switch (message.role) {
      case 'system':
        // Gemini has no such role between turns.
        push(
          contents,
          'user',
          isBlank(message.content) ? [] : [{ text: `Instruction: ${wellFormed(message.content)}` }],
        )
        break
      case 'user':
        push(contents, 'user', userParts(message.content))
        break
      case 'assistant':
        push(contents, 'model', modelParts(message, reader))
        break
      case 'tool': {
        const results = [message]
        for (let next = repaired[index + 1]; next?.role === 'tool'; next = repaired[++index + 1]) results.push(next)
        contents.push(...resultContents(results, reader.traits))
        break
      }
      default:
        assertNever(message)
    }
  }
  return contents
}

/** The parts of a user's message without blank ones, which Gemini refuses. */
function userParts(content: UserMessage['content']): Part[] {
  return partsOf(content).flatMap((part) => {
    if (part.type !== 'text') return mediaPart(part)
    return isBlank(part.text) ? [] : { text: wellFormed(part.text) }
  })
}

function push(contents: Content[], role: 'user' | 'model', parts: Part[]): void {
  if (parts.length > 0) contents.push({ role, parts })
}

/** Gemini 3 refuses a turn whose first call has no signature; it accepts this one for calls of other models. */
const foreignSignature = 'skip_thought_signature_validator'

function modelParts({ content }: AssistantMessage, { owner, traits }: Reader): Part[] {
  let unsigned = traits.sinceGemini3
  return content.flatMap((part) => {
    const converted = modelPart(part, owner, traits)
    if (!converted?.functionCall) return converted ?? []
    if (unsigned) converted.thoughtSignature ??= foreignSignature
    // Only the first of parallel calls has a signature.
    unsigned = false
    return converted
  })
}

function modelPart(part: AssistantPart, owner: string, traits: GeminiTraits): Part | undefined {
  const signature = part.opaque?.owner === owner ? signatureOf(part.opaque.data) : undefined
  const signed = signature === undefined ? {} : { thoughtSignature: signature }
  switch (part.type) {
    case 'text':
      return signature === undefined && isBlank(part.text) ? undefined : { text: wellFormed(part.text), ...signed }
    case 'reasoning':
      return signature === undefined ? undefined : { text: wellFormed(part.text), thought: true, ...signed }
    case 'tool-call': {
      const id = traits.sinceGemini3 ? { id: part.callId } : {}
      return { functionCall: { ...id, name: geminiToolName(part.name), args: argumentsObject(part.input) }, ...signed }
    }
    default:
      return assertNever(part)
  }
}

function signatureOf(data: JSONValue): string | undefined {
  const signature = isRecord(data) ? data.thoughtSignature : undefined
  return typeof signature === 'string' ? signature : undefined
}

/** The placeholder of a user's turn where Gemini requires one. */
const between: Content = { role: 'user', parts: [{ text: continuePrompt }] }

/** Joins consecutive contents of one role, except results, which Gemini counts; starts and ends with a user's turn. */
function inTurns(contents: readonly Content[]): Content[] {
  const turns: Content[] = []
  if (contents[0]?.role !== 'user') turns.push(between)
  for (const content of contents) {
    const last = turns.at(-1)
    if (last && last.role === content.role && !isResults(last) && !isResults(content)) {
      turns[turns.length - 1] = { ...last, parts: [...(last.parts ?? []), ...(content.parts ?? [])] }
    } else turns.push(content)
  }
  if (turns.at(-1)?.role === 'model') turns.push(between)
  return turns
}

function isResults({ parts }: Content): boolean {
  return parts?.[0]?.functionResponse !== undefined
}
