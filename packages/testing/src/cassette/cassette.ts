import { readFileSync } from 'node:fs'
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
  /** In the form that is compared: keys sorted, secrets scrubbed, files and opaque data as hashes. */
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
 * Reads a file that `record` has written as plain data: its models, and their calls in the order of their requests.
 *
 * @throws AgentKitError `not-found` when there is no such file
 * @throws AgentKitError `unreadable-file` for a file that is not a cassette, or an invalid one, with the line
 * @throws AgentKitError `unsupported` for one of a newer version
 * @example
 * const { calls } = readCassette('weather.cassette')
 * calls.map(({ model, request }) => [model, request.messages.at(-1)])
 */
export function readCassette(file: string): Cassette {
  const [head, ...entries] = readEntries(file, readText(file))
  checkHead(file, head?.value)
  const models = new Map<string, RecordedModel>()
  const calls: RecordedCall[] = []
  for (const { value, line } of entries) {
    if (isCall(value)) calls.push(value)
    else if (isModel(value)) models.set(value.model, value)
    else throw unreadable(file, line, 'is neither a model nor a call')
  }
  for (const { model } of calls) if (!models.has(model)) models.set(model, { model })
  return { models: [...models.values()], calls: calls.sort((one, other) => one.call - other.call) }
}

function readText(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException // errors of `fs` have this type
    if (code !== 'ENOENT') {
      throw new AgentKitError('unreadable-file', `The cassette ${file} cannot be read: ${code}.`, { cause })
    }
    const message = `There is no cassette ${file}. Record it: record(model, ${JSON.stringify(file)}), or agentkit record.`
    throw new AgentKitError('not-found', message, { cause })
  }
}

type Entry = { value: unknown; line: number }

/** An entry starts with a brace at the start of a line: lines within an entry are indented. */
function readEntries(file: string, text: string): Entry[] {
  let line = 1
  return text.split(/^(?=\{)/m).map((piece) => {
    const entry = { value: parseEntry(file, piece, line), line }
    line += piece.split('\n').length - 1
    return entry
  })
}

function parseEntry(file: string, piece: string, line: number): unknown {
  try {
    return JSON.parse(piece)
  } catch (cause) {
    throw unreadable(file, line, 'is no JSON', cause)
  }
}

function checkHead(file: string, head: unknown): void {
  const { agentkit, version } = (head ?? {}) as { agentkit?: unknown; version?: unknown } // checked below
  if (agentkit !== cassetteHead.agentkit) throw unreadable(file, 1, 'is not the head of a cassette')
  if (version !== cassetteHead.version) {
    const message = `The cassette ${file} has version ${JSON.stringify(version)}. Update @agentkit/testing, or record it again.`
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

function unreadable(file: string, line: number, problem: string, cause?: unknown): AgentKitError {
  const message = `The cassette ${file} is broken: the entry at line ${line} ${problem}. Record it again.`
  return new AgentKitError('unreadable-file', message, { cause })
}
