import type { Answer, FakeRequest } from './fake-pinecone-types.ts'
import { matches } from './fake-pinecone-filter.ts'
import type { FakeIndex, FakeRecord } from './fake-pinecone-index.ts'

type Handler = (index: FakeIndex, request: FakeRequest) => Answer
type Vector = { id: string; values: number[]; metadata?: Record<string, unknown> }

/** The requests for the vectors of one index. */
export function dataPlane(index: FakeIndex, request: FakeRequest): Answer {
  const handler = handlers[`${request.method} ${request.path}`]
  return handler ? handler(index, request) : refusal(404, 5, 'Not Found')
}

const handlers: Record<string, Handler> = {
  'POST /vectors/upsert': upsert,
  'GET /vectors/fetch': fetchVectors,
  'GET /vectors/list': list,
  'POST /vectors/delete': remove,
  'POST /query': query,
  'POST /describe_index_stats': stats,
}

const twoMegabytes = 2 * 1024 * 1024

function upsert(index: FakeIndex, { body, bytes }: FakeRequest): Answer {
  const vectors = body.vectors as Vector[]
  if (bytes > twoMegabytes) return refusal(400, 11, `Error, message length too large: found ${bytes} bytes, the limit is: 2097152 bytes`)
  if (vectors.length > 1000) return refusal(400, 3, `Upsert request contains ${vectors.length} vectors. Max 1000.`)
  for (const vector of vectors) {
    const problem = problemOf(vector, index.dimension)
    if (problem) return refusal(400, 3, problem)
  }
  index.write(() => {
    const space = spaceOf(index, nameOf(body.namespace))
    for (const { id, values, metadata } of vectors) {
      space.set(id, { values: Float32Array.from(values), ...(metadata && { metadata }) })
    }
  })
  return { status: 200, body: { upsertedCount: vectors.length } }
}

function problemOf({ id, values, metadata = {} }: Vector, dimension: number): string | undefined {
  if (!id || id.length > 512) return `Vector ID "${id}" must be between 1 and 512 characters`
  if (!values.every((value) => typeof value === 'number')) return `Invalid value for vector ID '${id}'`
  if (values.length !== dimension) {
    return `Vector dimension ${values.length} does not match the dimension of the index ${dimension}`
  }
  if (values.every((value) => value === 0)) {
    return `Dense vectors must contain at least one non-zero value. Vector ID '${id}' contains only zeros`
  }
  const size = Buffer.byteLength(JSON.stringify(metadata))
  if (size > 40_960) return `Metadata size is ${size} bytes, which exceeds the limit of 40960 bytes per vector`
  const odd = Object.entries(metadata).find(([, value]) => !isMetadata(value))
  return odd && `Metadata value must be a string, number, boolean or list of strings, got '${odd[1]}' for field '${odd[0]}'`
}

function isMetadata(value: unknown): boolean {
  if (Array.isArray(value)) return value.length > 0 && value.every((item) => typeof item === 'string')
  return ['string', 'number', 'boolean'].includes(typeof value)
}

function fetchVectors(index: FakeIndex, { query: asked }: FakeRequest): Answer {
  const ids = asked.getAll('ids')
  if (asked.toString().length > 8000) return { status: 414, body: 'Request-URI Too Large' }
  if (ids.length > 1000) return refusal(400, 3, `Fetch request contains ${ids.length} ids. Max 1000.`)
  index.beforeRead()
  const namespace = nameOf(asked.get('namespace'))
  const space = index.namespaces.get(namespace)
  const vectors: Record<string, object> = {}
  for (const id of ids) {
    const record = space?.get(id)
    if (record) vectors[id] = shown(id, record)
  }
  return { status: 200, body: { vectors, namespace, usage: { readUnits: 1 } } }
}

function list(index: FakeIndex, { query: asked }: FakeRequest): Answer {
  if (index.pod) return refusal(400, 3, 'List is not supported for pod-based indexes.')
  index.beforeRead()
  const namespace = nameOf(asked.get('namespace'))
  const ids = [...(index.namespaces.get(namespace)?.keys() ?? [])].sort()
  return { status: 200, body: { vectors: ids.slice(0, 100).map((id) => ({ id })), namespace, usage: { readUnits: 1 } } }
}

function remove(index: FakeIndex, { body }: FakeRequest): Answer {
  const namespace = nameOf(body.namespace)
  const ids = body.ids as string[] | undefined
  if (ids && ids.length > 1000) return refusal(400, 3, `Delete request contains ${ids.length} ids. Max 1000.`)
  // Serverless indexes have no empty namespaces.
  if (!index.namespaces.has(namespace) && !index.pod) return refusal(404, 5, 'Namespace not found')
  index.write(() => {
    const space = index.namespaces.get(namespace)
    if (body.deleteAll === true) space?.clear()
    for (const id of ids ?? []) space?.delete(id)
    if (space?.size === 0) index.namespaces.delete(namespace)
  })
  return { status: 200, body: {} }
}

function query(index: FakeIndex, { body }: FakeRequest): Answer {
  const vector = body.vector as number[]
  const topK = Number(body.topK)
  if (topK > 10_000) return refusal(400, 3, 'top_k must be at most 10000')
  if (vector.length !== index.dimension) {
    return refusal(400, 3, `Vector dimension ${vector.length} does not match the dimension of the index ${index.dimension}`)
  }
  index.beforeRead()
  const namespace = nameOf(body.namespace)
  const sign = index.metric === 'euclidean' ? -1 : 1
  const found = [...(index.namespaces.get(namespace) ?? [])]
    .filter(([, { metadata = {} }]) => matches(metadata, body.filter as object | undefined))
    .map(([id, record]) => ({ id, record, score: scoreOf(index, vector, record.values) }))
    .sort((one, other) => sign * (other.score - one.score))
    .slice(0, topK)
    .map(({ id, record, score }) => ({
      id,
      score,
      values: body.includeValues === true ? [...record.values] : [],
      ...(body.includeMetadata === true && record.metadata && { metadata: record.metadata }),
    }))
  return { status: 200, body: { results: [], matches: found, namespace, usage: { readUnits: 5 } } }
}

function scoreOf({ metric }: FakeIndex, one: readonly number[], other: Float32Array): number {
  let dot = 0
  let square = 0
  for (const [place, value] of one.entries()) {
    dot += value * (other[place] ?? 0)
    square += (value - (other[place] ?? 0)) ** 2
  }
  if (metric === 'euclidean') return square
  return metric === 'dotproduct' ? dot : dot / (Math.hypot(...one) * Math.hypot(...other))
}

function stats(index: FakeIndex): Answer {
  index.beforeRead()
  const { dimension, metric } = index
  const namespaces = Object.fromEntries([...index.namespaces].map(([name, { size }]) => [name, { vectorCount: size }]))
  const totalVectorCount = [...index.namespaces.values()].reduce((sum, { size }) => sum + size, 0)
  return { status: 200, body: { namespaces, dimension, metric, vectorType: 'dense', indexFullness: 0, totalVectorCount } }
}

function nameOf(namespace: unknown): string {
  return typeof namespace === 'string' && namespace !== '' ? namespace : '__default__'
}

function spaceOf(index: FakeIndex, namespace: string): Map<string, FakeRecord> {
  const space = index.namespaces.get(namespace) ?? new Map<string, FakeRecord>()
  index.namespaces.set(namespace, space)
  return space
}

function shown(id: string, { values, metadata }: FakeRecord): object {
  return { id, values: [...values], ...(metadata && { metadata }) }
}

function refusal(status: number, code: number, message: string): Answer {
  return { status, body: { code, message, details: [] } }
}
