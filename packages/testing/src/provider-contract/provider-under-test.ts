import type { AgentKitError, Embedder, Model, ModelEvent, ModelRequest } from '@agentkit/core'
import { isAgentKitError } from '@agentkit/core'
import { fakeProvider } from '../fake-provider/fake-provider.ts'
import type { FakeScript, FakeTurn, FakeWire, RecordedRequest } from '../fake-provider/wires/script.ts'

/** The result of a provider package's factory. */
export type ProviderUnderTest = {
  readonly id: string
  model(id: string, options?: { firstByteTimeoutMs?: number; idleTimeoutMs?: number }): Model
  embedder?(id: string): Embedder
}

/** Creates the provider for the server at this address, with this key. */
export type MakeProvider = (server: {
  url: string
  apiKey: string
  /** Further options for the provider's factory: the contract passes misspelt ones. */
  options?: object
}) => ProviderUnderTest

/** Model ids of the provider, by kind. */
export type ModelsUnderTest = {
  /** Accepts tools and images. */
  usual: string
  /** Reasons before it answers. */
  reasoning?: string
  /** Accepts only text. */
  textOnly?: string
  embedding?: string
}

/** The provider under test, for every test of the contract. */
export type Subject = {
  wire: FakeWire
  makeProvider: MakeProvider
  models: ModelsUnderTest
}

/** The outcome of one call. */
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
  /** The default request when absent. */
  model?: string | undefined
  firstByteTimeoutMs?: number
  idleTimeoutMs?: number
  signal?: AbortSignal
  /** Receives each event; returning `false` leaves the stream. */
  onEvent?(event: ModelEvent): boolean | undefined
}

/** A key in no provider's format; no error may contain it. */
export const testKey = 'test-key-5f3a9c27d1'

/** Calls the provider's model once, on a server that plays these turns; settles when all exchanges are over. */
export async function ask(subject: Subject, script: FakeTurn | FakeScript, asked: Asked = {}): Promise<Outcome> {
  const turns = typeof script === 'function' || Array.isArray(script) ? script : [script as FakeTurn]
  await using server = await fakeProvider(subject.wire, turns)
  const outcome = await askServer(subject, server.url, asked)
  await Promise.all(server.requests.map(({ closed }) => closed))
  return { ...outcome, requests: server.requests }
}

/** Calls the provider's model once, at this address. */
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
    if (!isAgentKitError(error)) throw new Error('It failed with an error that is no AgentKitError.', { cause: error })
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
  else if (event.type === 'finish') outcome.finish = event
}
