import { isAgentKitError } from '@agentkit/core'
import { sleep } from '@agentkit/core/internal'
import type { Store } from '../store.ts'
import type { CloudLedger } from './cloud-ledger.ts'
import type { PineconeVectors } from './pinecone-vectors.ts'

/** A store whose vectors are in the cloud. */
export type CloudParts = { local: Store; vectors: PineconeVectors; ledger: CloudLedger }

/** Pinecone's count lags some seconds behind writes: the delays between requests for it. */
const longestCount = 5

/** Problems between the local chunks and the vectors in the cloud, a sentence each. */
export async function verifyVectors(
  { local, vectors, ledger }: CloudParts,
  pauseMs: number,
  signal: AbortSignal,
): Promise<string[]> {
  const problems: string[] = []
  const { settled, inQuestion } = ledger.counts()
  if (settled + inQuestion === 0) return problems

  let homeless = 0
  for (let ids = ledger.page('', 1000); ids.length > 0; ids = ledger.page(ids.at(-1) ?? '', 1000)) {
    homeless += ids.length - (await local.chunks(ids)).length
  }
  if (homeless > 0) problems.push(`${homeless} vectors in Pinecone belong to no chunk of the index.`)

  // Pending vectors may exist or not.
  const most = settled + inQuestion
  let counted = settled
  try {
    counted = await countVectors(vectors, settled, most, pauseMs, signal)
  } catch (error) {
    if (!isAgentKitError(error) || error.code === 'aborted') throw error
    problems.push(`The vectors could not be counted. ${error.message}`)
  }
  if (counted < settled) {
    const fix = 'Sync again: what is lost is created again.'
    problems.push(
      `Pinecone has ${counted} vectors, and the index has sent ${settled}: it lacks ${settled - counted}. ${fix}`,
    )
  }
  if (counted > most) {
    const fix = 'If another index shares its namespace, give each its own `cloud: { namespace }`.'
    problems.push(
      `Pinecone has ${counted} vectors, and the index has sent ${most}: ${counted - most} are unknown. ${fix}`,
    )
  }
  return problems
}

/** The number of vectors; requested again for a while when it is not from `least` to `most`. */
export async function countVectors(
  vectors: PineconeVectors,
  least: number,
  most: number,
  pauseMs: number,
  signal: AbortSignal,
  mayCreate = false,
): Promise<number> {
  let counted = await vectors.count(signal, mayCreate)
  for (let attempt = 1; attempt < longestCount && (counted < least || counted > most); attempt++) {
    await sleep(pauseMs, signal)
    counted = await vectors.count(signal)
  }
  return counted
}
