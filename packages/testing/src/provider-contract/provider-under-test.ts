import type { AgentKitError, Embedder, Model, ModelEvent, ModelRequest } from '@agentkit/core'
import { isAgentKitError } from '@agentkit/core'
import { fakeProvider } from '../fake-provider/fake-provider.ts'
import type { FakeScript, FakeTurn, FakeWire, RecordedRequest } from '../fake-provider/wires/script.ts'

/** What a provider package's factory gives. */
export type ProviderUnderTest = {
  readonly id: string
  model(id: string, options?: { firstByteTimeoutMs?: number; idleTimeoutMs?: number }): Model
  embedder?(id: string): Embedder
}

/** Makes the provider, so that it asks the server at this address with this key. */
export type MakeProvider = (server: {
  url: string
  apiKey: string
  /** Further options of the provider's factory, to be passed on: the contract passes misspelt ones. */
  options?: object
}) => ProviderUnderTest

/** Models of the provider, by the ids that it has for them. */
export type ModelsUnderTest = {
  /** Takes tools, and reads images unless `lacks` says otherwise. */
  usual: string
  /** Reasons before it answers. */
  reasoning?: string
  /** Reads text alone. */
  textOnly?: string
  embedding?: string
}

/** What every test of the contract knows. */
export type Subject = {
  wire: FakeWire
  makeProvider: MakeProvider
  models: ModelsUnderTest
}

/** What came of one call. */
export type Outcome = {
  events: ModelEvent[]
  text: string
  reasoning: string
  calls: Extract<ModelEvent, { type: 'tool-call' }>[]
  warnings: string[]
  finish?: Extract<ModelEvent, { type: 'finish' }>
  error?: AgentKitError
  requests: readonly RecordedRequest[]
}

export type Asked = Partial<ModelRequest> & {
  /** The usual one when absent. */
  model?: string | undefined
  firstByteTimeoutMs?: number
  idleTimeoutMs?: number
  signal?: AbortSignal
  /** Told each event as it comes; `false` leaves the stream. */
  onEvent?(event: ModelEvent): boolean | undefined
}

/** No provider has a key like it, and none may be told. */
export const testKey = 'test-key-5f3a9c27d1'

/** Asks the provider's model once, of a server that plays these turns; settles when all its exchanges are over. */
export async function ask(subject: Subject, script: FakeTurn | FakeScript, asked: Asked = {}): Promise<Outcome> {
  const turns = typeof script === 'function' || Array.isArray(script) ? script : [script as FakeTurn]
  await using server = await fakeProvider(subject.wire, turns)
  const outcome = await askServer(subject, server.url, asked)
  await Promise.all(server.requests.map(({ closed }) => closed))
  return { ...outcome, requests: server.requests }
}

/** Asks the provider's model once, at this address. */
export async function askServer(subject: Subject, url: string, asked: Asked = {}): Promise<Outcome> {
  const { model, signal = new AbortController().signal, firstByteTimeoutMs, idleTimeoutMs, onEvent, ...request } = asked
  const timeouts = {
    ...(firstByteTimeoutMs !== undefined && { firstByteTimeoutMs }),
    ...(idleTimeoutMs !== undefined && { idleTimeoutMs }),
  }
  const provider = subject.makeProvider({ url, apiKey: testKey })
  const outcome: Outcome = { events: [], text: '', reasoning: '', calls: [], warnings: [], requests: [] }
  try {
    const stream = provider
      .model(model ?? subject.models.usual, timeouts)
      .stream({ messages: [{ role: 'user', content: 'Hello' }], ...request }, signal)
    for await (const event of stream) {
      keep(outcome, event)
      if (onEvent?.(event) === false) break
    }
  } catch (error) {
    if (!isAgentKitError(error)) throw new Error('It failed with an error that is not ours.', { cause: error })
    outcome.error = error
  }
  return outcome
}

function keep(outcome: Outcome, event: ModelEvent): void {
  outcome.events.push(event)
  if (event.type === 'text-delta') outcome.text += event.text
  else if (event.type === 'reasoning-delta') outcome.reasoning += event.text
  else if (event.type === 'tool-call') outcome.calls.push(event)
  else if (event.type === 'warning') outcome.warnings.push(event.message)
  else outcome.finish = event
}
