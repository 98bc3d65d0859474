import {
  AgentKitError,
  type ErrorInfo,
  type ModelEvent,
  type ModelInfo,
  type ModelRequest,
  type Usage,
} from '@agentkit/core'

/** One recorded call of a model. */
export type RecordedCall = {
  /** The position in the order of the requests, from 1 on. */
  call: number
  /** `provider/model`. */
  model: string
  /** The group of the call, if `record` was given one. */
  group?: string
  /** The request in the form that is compared: keys sorted, secrets scrubbed, files and opaque data as hashes. */
  request: ModelRequest
  /** The answer; events that arrived at once are in one list. */
  events: ModelEvent[][]
  /** The error after the events. */
  error?: ErrorInfo & { usage?: Usage }
  /** The error of a model that threw something other than an AgentKitError. */
  thrown?: RawError
  /** The reader left or aborted before the end of the answer, this many milliseconds after the last event. */
  left?: number
  /** The moments of the recording: of the request, of each list of events, of the failure or the end of reading. */
  at: string
}

/** The fields of a foreign error from which a run determines what has happened. */
export type RawError = {
  name: string
  message: string
  code?: string
  status?: number
  statusCode?: number
  cause?: RawError
}

/** The metadata of a recorded model. */
export type RecordedModel = { model: string; info?: ModelInfo }

/** The content of a cassette. */
export type Cassette = { models: RecordedModel[]; calls: RecordedCall[] }

/** The first entry of each cassette. */
export const cassetteHead = { agentkit: 'cassette', version: 1 } as const

/**
 * Reads the text of a cassette: its models, and their calls in the order of their requests. It needs no file system, so a
 * page can read a cassette that is dropped on it.
 *
 * @param text the content of a file that `record` has written
 * @param name what errors call the cassette
 * @throws AgentKitError `unreadable-file` for a text that is not a cassette, or an invalid one, with the line
 * @throws AgentKitError `unsupported` for one of a newer version
 * @example
 * const { calls } = parseCassette(await file.text())
 * calls.map(({ model, events }) => [model, events.flat().length])
 */
export function parseCassette(text: string, name?: string): Cassette {
  const title = name === undefined ? 'The cassette' : `The cassette ${name}`
  // Some editors begin a file with a byte order mark.
  const [head, ...entries] = readEntries(title, text.replace(/^\uFEFF/, ''))
  checkHead(title, head?.value)
  const models = new Map<string, RecordedModel>()
  const calls: RecordedCall[] = []
  for (const { value, line } of entries) {
    if (isCall(value)) calls.push(value)
    else if (isModel(value)) models.set(value.model, value)
    else throw unreadable(title, line, 'is neither a model nor a call')
  }
  for (const { model } of calls) if (!models.has(model)) models.set(model, { model })
  return { models: [...models.values()], calls: calls.sort((one, other) => one.call - other.call) }
}

type Entry = { value: unknown; line: number }

/** An entry starts with a brace at the start of a line: lines within an entry are indented. */
function readEntries(title: string, text: string): Entry[] {
  let line = 1
  // The pattern has no `^`, because it also matches after Unicode line separators, which a text may contain.
  return text.split(/(?<=\n)(?=\{)/).map((piece) => {
    const entry = { value: parseEntry(title, piece, line), line }
    line += piece.split('\n').length - 1
    return entry
  })
}

function parseEntry(title: string, piece: string, line: number): unknown {
  try {
    return JSON.parse(piece)
  } catch (cause) {
    throw unreadable(title, line, 'is not JSON', cause)
  }
}

function checkHead(title: string, head: unknown): void {
  const { agentkit, version } = (head ?? {}) as { agentkit?: unknown; version?: unknown } // checked below
  if (agentkit !== cassetteHead.agentkit) throw unreadable(title, 1, 'is not the head of a cassette')
  if (version !== cassetteHead.version) {
    const message = `${title} has version ${JSON.stringify(version)}. Update @agentkit/testing, or record it again.`
    throw new AgentKitError('unsupported', message)
  }
}

function isCall(value: unknown): value is RecordedCall {
  if (!isModel(value)) return false
  const { call, request, events, at } = value as Partial<RecordedCall>
  const areEvents = Array.isArray(events) && events.every((burst) => Array.isArray(burst))
  return typeof call === 'number' && Array.isArray(request?.messages) && areEvents && typeof at === 'string'
}

function isModel(value: unknown): value is RecordedModel {
  return typeof value === 'object' && value !== null && 'model' in value && typeof value.model === 'string'
}

function unreadable(title: string, line: number, problem: string, cause?: unknown): AgentKitError {
  const message = `${title} is broken: the entry at line ${line} ${problem}. Record it again.`
  return new AgentKitError('unreadable-file', message, { cause })
}
