import { AgentKitError, isAgentKitError, type RetryOptions } from '@agentkit/core'
import { sleep } from '@agentkit/core/internal'
import type { IndexModel } from '@pinecone-database/pinecone'
import type { PineconeClient } from './pinecone-client.ts'
import type { PineconeSettings } from './pinecone-settings.ts'

export type Metric = 'cosine' | 'dotproduct' | 'euclidean'

/** How to reach the vectors of an index. */
export type PineconePlace = { host: string; metric: Metric; dimension: number }

/** An index of Pinecone as a whole. */
export interface PineconeIndex {
  /**
   * Whether it exists. `connect` creates a missing one.
   * @throws AgentKitError `not-found` when it is missing and `create` is not set; `invalid-config` when it cannot hold these vectors
   */
  look(dimensions: number, signal: AbortSignal): Promise<'there' | 'absent'>
  /** Creates it if `create` is set, and waits until it is ready. `dimensions` absent: any length is accepted. */
  connect(dimensions: number | undefined, signal: AbortSignal, options?: ConnectOptions): Promise<PineconePlace>
  /** It may be gone, or elsewhere: the next call looks for it again. */
  forget(): void
}

export type ConnectOptions = {
  /** `false`: a missing index is an error, also where `create` is set. */
  mayCreate?: boolean
  retry?: RetryOptions
}

export type PineconeIndexTiming = { pollMs?: number; readyWithinMs?: number }

export function createPineconeIndex(
  client: PineconeClient,
  settings: PineconeSettings,
  { pollMs = 1000, readyWithinMs = 300_000 }: PineconeIndexTiming = {},
): PineconeIndex {
  const { indexName, create } = settings
  let ready: IndexModel | undefined
  const describe = async (signal: AbortSignal, retry?: RetryOptions): Promise<IndexModel | undefined> => {
    if (ready) return ready
    const model = await unless(
      'not-found',
      client.call(signal, (pinecone) => pinecone.indexes.describe(indexName), retry),
    )
    if (model?.status.ready) ready = model
    return model
  }

  return {
    async look(dimensions, signal) {
      const model = await describe(signal, { attempts: 1 })
      if (!model && !create) throw await notThere(client, settings, signal)
      if (!model) checkKind(settings)
      if (model?.status.ready) placeOf(model, dimensions)
      return model ? 'there' : 'absent'
    },

    forget() {
      ready = undefined
    },

    async connect(dimensions, signal, { mayCreate = true, retry } = {}) {
      const isLate = AbortSignal.timeout(readyWithinMs)
      for (let isMade = false; ; ) {
        const model = await describe(signal, retry)
        if (model?.status.ready) return placeOf(model, dimensions)
        if (model && hopeless.test(model.status.state)) throw notReady(model.status.state)
        if (!model && !(create && mayCreate && dimensions !== undefined)) throw await notThere(client, settings, signal)
        if (!model && !isMade && dimensions !== undefined) {
          await make(client, settings, dimensions, signal)
          isMade = true
          continue
        }
        if (isLate.aborted) throw notReady(`not ready after ${readyWithinMs / 1000} seconds`)
        await sleep(pollMs, signal)
      }
    },
  }

  function notReady(state: string): AgentKitError {
    const message = `The Pinecone index "${indexName}" is of no use: it is ${state}. See Pinecone's console.`
    return new AgentKitError('provider-error', message, { provider: 'pinecone' })
  }
}

const hopeless = /Terminating|Failed|Disabled/

async function make(
  client: PineconeClient,
  settings: PineconeSettings,
  dimension: number,
  signal: AbortSignal,
): Promise<void> {
  checkKind(settings)
  const { indexName: name, cloud, region } = settings
  const made = client.call(signal, (pinecone) =>
    pinecone.indexes.create({
      name,
      // This field exists only in an index without an embedding model.
      schema: { fields: { _values: { type: 'dense_vector', dimension, metric: 'cosine' } } },
      deployment: { deploymentType: 'managed', cloud, region },
    }),
  )
  // Another process was faster.
  await unless(409, made)
}

/** Pinecone creates no new pods, and its SDK does not even send the request. */
function checkKind({ tool, indexName }: PineconeSettings): void {
  if (tool !== 'cloudindex-pod') return
  const fix = 'Take `cloudindex-serverless`, or name a pod index that exists as `cloud: { indexName }`.'
  const message = `Pinecone has no index "${indexName}", and makes no new ones of pods. ${fix}`
  throw new AgentKitError('unsupported', message, { provider: 'pinecone' })
}

function placeOf(model: IndexModel, dimensions: number | undefined): PineconePlace {
  const { name, host, privateHost, schema } = model
  const field = schema.fields._values
  if (!field || !('type' in field) || field.type !== 'dense_vector') {
    const fix = 'Name another as `cloud: { indexName }`, and let it be made by `create: true`.'
    throw new AgentKitError('invalid-config', `The Pinecone index "${name}" does not hold plain vectors. ${fix}`)
  }
  const { dimension, metric } = field
  if (dimensions !== undefined && dimension !== dimensions) {
    const fix = `Choose another index by \`cloud: { indexName }\` (\`create: true\` makes it), or an embedder of ${dimension}.`
    const problem = `holds vectors of ${dimension} dimensions, and the embedder makes ${dimensions}`
    throw new AgentKitError('invalid-config', `The Pinecone index "${name}" ${problem}. ${fix}`)
  }
  if (!isMetric(metric)) {
    const fix = 'Choose one of cosine, dotproduct or euclidean by `cloud: { indexName }`.'
    throw new AgentKitError('invalid-config', `The Pinecone index "${name}" has the metric ${metric}. ${fix}`)
  }
  return { host: privateHost || host, metric, dimension }
}

function isMetric(metric: string): metric is Metric {
  return metric === 'cosine' || metric === 'dotproduct' || metric === 'euclidean'
}

async function notThere(
  client: PineconeClient,
  { indexName, create, tool }: PineconeSettings,
  signal: AbortSignal,
): Promise<AgentKitError> {
  const list = client.call(signal, (pinecone) => pinecone.indexes.list(), { attempts: 1 })
  // For the message only: its failure must not hide the actual problem.
  const names = await list.then(
    ({ indexes = [] }) => indexes.map(({ name }) => name),
    () => [],
  )
  const others = names.length > 0 ? ` There are: ${names.slice(0, 20).join(', ')}.` : ''
  const isMade = create && tool === 'cloudindex-serverless'
  const fix = isMade ? 'The next sync makes it.' : 'Make it in the console, or set `cloud: { create: true }`.'
  return new AgentKitError('not-found', `Pinecone has no index "${indexName}".${others} ${fix}`, {
    provider: 'pinecone',
  })
}

/** The result of a call, or undefined when it fails with the given code. */
export async function unless<Value>(codeOrStatus: string | number, call: Promise<Value>): Promise<Value | undefined> {
  try {
    return await call
  } catch (error) {
    if (isAgentKitError(error) && (error.code === codeOrStatus || error.status === codeOrStatus)) return undefined
    throw error
  }
}
