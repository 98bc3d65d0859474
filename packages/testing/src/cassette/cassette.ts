import { readFileSync } from 'node:fs'
import {
  AgentKitError,
  type ErrorInfo,
  type ModelEvent,
  type ModelInfo,
  type ModelRequest,
  type Usage,
} from '@agentkit/core'

/** One call of a model, as a cassette keeps it. */
export type RecordedCall = {
  /** In the order in which they were asked, from 1 on. */
  call: number
  /** `provider/model`. */
  model: string
  /** As it is compared: keys sorted, secrets scrubbed, files and opaque data by their hash. */
  request: ModelRequest
  /** What the model answered; what came at once stands in one list. */
  events: ModelEvent[][]
  /** What it failed in, after the events. */
  error?: ErrorInfo & { usage?: Usage }
  /** The same, where a model threw what is no AgentKitError. */
  thrown?: RawError
  /** The reader left or aborted before the answer's end, after so many milliseconds without an event. */
  left?: number
  /** The moments of the recording: when it was asked, when each list came, when it failed or was left. */
  at: string
}

/** What there is to see of an error that is not ours: by these fields a run finds out what has happened. */
export type RawError = {
  name: string
  message: string
  code?: string
  status?: number
  statusCode?: number
  cause?: RawError
}

/** What is known of a recorded model. */
export type RecordedModel = { model: string; info?: ModelInfo }

/** What a cassette holds. */
export type Cassette = { models: RecordedModel[]; calls: RecordedCall[] }

/** The first entry of each cassette. */
export const cassetteHead = { agentkit: 'cassette', version: 1 } as const

/**
 * What `record` has written to a file, as plain data: its models, and their calls in the order in which they were asked.
 *
 * @throws AgentKitError `not-found` when there is no such file
 * @throws AgentKitError `unreadable-file` for what is no cassette, or a broken one, with the line
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
    const { code } = cause as NodeJS.ErrnoException // what `fs` throws
    if (code !== 'ENOENT') {
      throw new AgentKitError('unreadable-file', `The cassette ${file} cannot be read: ${code}.`, { cause })
    }
    const message = `There is no cassette ${file}. Record it: record(model, ${JSON.stringify(file)}), or agentkit record.`
    throw new AgentKitError('not-found', message, { cause })
  }
}

type Entry = { value: unknown; line: number }

/** An entry begins with a brace at the start of a line: within one, lines are indented. */
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
  const { agentkit, version } = (head ?? {}) as { agentkit?: unknown; version?: unknown } // looked at below
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
