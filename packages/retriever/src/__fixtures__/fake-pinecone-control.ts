import type { Answer, FakePinecone, FakeRequest } from './fake-pinecone-types.ts'
import { type Metric, toModel } from './fake-pinecone-index.ts'

type CreateBody = {
  name?: string
  schema?: { fields?: { _values?: { dimension?: number; metric?: Metric } } }
  deployment?: { deployment_type?: string }
}

/** `GET /indexes`, `POST /indexes`, `GET` and `DELETE /indexes/<name>`. */
export function controlPlane(fake: FakePinecone, { method, path, body }: FakeRequest): Answer {
  if (path === '/indexes' && method === 'GET') return { status: 200, body: { indexes: [...fake.indexes.values()].map(toModel) } }
  if (path === '/indexes' && method === 'POST') return create(fake, body as CreateBody)
  const name = /^\/indexes\/([^/]+)$/.exec(path)?.[1]
  const index = name === undefined ? undefined : fake.indexes.get(decodeURIComponent(name))
  if (!index) return refusal(404, 'NOT_FOUND', `Resource ${name} not found`)
  if (method === 'DELETE') {
    fake.indexes.delete(index.name)
    return { status: 202 }
  }
  if (!index.status.ready && index.status.state === 'Initializing') {
    if (index.looksUntilReady-- <= 0) index.status = { ready: true, state: 'Ready' }
  }
  return { status: 200, body: toModel(index) }
}

function create(fake: FakePinecone, { name, schema, deployment }: CreateBody): Answer {
  const { dimension, metric = 'cosine' } = schema?.fields?._values ?? {}
  if (!name || !/^[a-z0-9-]{1,45}$/.test(name)) {
    return refusal(400, 'INVALID_ARGUMENT', 'Name must consist of lower case alphanumeric characters or -')
  }
  if (!dimension || dimension > 20_000) return refusal(422, 'INVALID_ARGUMENT', 'dimension must be between 1 and 20000')
  if (deployment?.deployment_type !== 'managed') return refusal(422, 'INVALID_ARGUMENT', 'unknown deployment_type')
  if (fake.indexes.has(name)) return refusal(409, 'ALREADY_EXISTS', 'Resource already exists')
  const index = fake.add({ name, dimension, metric, state: 'Initializing' })
  index.looksUntilReady = fake.looksUntilReady
  return { status: 201, body: toModel(index) }
}

function refusal(status: number, code: string, message: string): Answer {
  return { status, body: { status, error: { code, message } } }
}
