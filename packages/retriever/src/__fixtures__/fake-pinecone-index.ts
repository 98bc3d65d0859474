export type Metric = 'cosine' | 'dotproduct' | 'euclidean'
export type FakeRecord = { values: Float32Array; metadata?: Record<string, unknown> }

export type NewIndex = {
  name: string
  dimension: number
  metric?: Metric
  /** Default: serverless. */
  pod?: boolean
  /** The index has a field that is not a plain vector, as indexes of Pinecone's own embedding models have. */
  semantic?: boolean
  state?: string
  /** The number of reads after which a write is visible; 0: immediately. */
  lag?: number
}

type Write = { readsLeft: number; run(): void }

/** An index that is there. */
export type FakeIndex = {
  name: string
  dimension: number
  metric: Metric
  pod: boolean
  semantic: boolean
  host: string
  status: { ready: boolean; state: string }
  looksUntilReady: number
  /** The records that reads can see. */
  namespaces: Map<string, Map<string, FakeRecord>>
  /** Makes a write, or delays it if the index lags. */
  write(run: () => void): void
  /** Called before each read. */
  beforeRead(): void
}

export function makeIndex(given: NewIndex & { host: string }): FakeIndex {
  const { name, dimension, host, metric = 'cosine', pod = false, semantic = false, state = 'Ready', lag = 0 } = given
  const writes: Write[] = []
  return {
    name,
    dimension,
    metric,
    pod,
    semantic,
    host,
    status: { ready: state === 'Ready', state },
    looksUntilReady: 0,
    namespaces: new Map(),
    write(run) {
      writes.push({ readsLeft: lag, run })
      flush()
    },
    beforeRead() {
      for (const write of writes) write.readsLeft--
      flush()
    },
  }

  /** In the order of the writes: none overtakes another. */
  function flush(): void {
    while (writes[0] && writes[0].readsLeft <= 0) writes.shift()?.run()
  }
}

/** The answer of `GET /indexes/<name>`. */
export function toModel(index: FakeIndex): object {
  const { name, dimension, metric, host, status, pod, semantic } = index
  const vector = { type: 'dense_vector', dimension, metric }
  const text = { type: 'semantic_text', model: 'multilingual-e5-large', dimension, metric }
  return {
    name,
    host,
    status,
    deployment: pod
      ? { deployment_type: 'pod', environment: 'us-east-1-aws', replicas: 1, shards: 1, pod_type: 'p1.x1' }
      : { deployment_type: 'managed', cloud: 'aws', region: 'us-east-1' },
    schema: { fields: semantic ? { text } : { _values: vector } },
    deletion_protection: 'disabled',
    tags: null,
    ...(!pod && { read_capacity: { mode: 'OnDemand', status: { state: 'Ready' } } }),
  }
}
