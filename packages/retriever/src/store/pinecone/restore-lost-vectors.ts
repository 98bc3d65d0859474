import { isAgentKitError } from '@agentkit/core'
import { abortError } from '@agentkit/core/internal'
import { type CloudParts, countVectors } from './verify-vectors.ts'

/** The timeout of the check in milliseconds: a sync does not wait longer for a cloud that does not respond. */
const checkTimeoutMs = 15_000

/**
 * Finds vectors that were sent and are missing in the cloud, for example because a user emptied the namespace, and makes
 * the current sync read their files again, which sends them again.
 */
export async function restoreLostVectors(parts: CloudParts, pollMs: number, signal: AbortSignal): Promise<void> {
  const { local, ledger } = parts
  const lost = await findLostVectors(parts, pollMs, signal)
  if (lost.length === 0) return
  const files = new Set((await local.chunks(lost)).map(({ file }) => file))
  const records = (await local.files()).filter(({ file }) => files.has(file))
  // A file without a known hash is read. Written first, so that the loss is found again after an interruption.
  const changed = records.map((record) => ({ record: { ...record, hash: '' }, chunks: 'keep' as const }))
  await local.apply({ changed, removed: [] }, signal)
  await ledger.forget(lost)
}

async function findLostVectors(
  { vectors, ledger }: CloudParts,
  pollMs: number,
  signal: AbortSignal,
): Promise<string[]> {
  const { settled } = ledger.counts()
  if (settled === 0) return []
  const bounded = AbortSignal.any([signal, AbortSignal.timeout(checkTimeoutMs)])
  try {
    // An index that is gone is created, where that is allowed, and then has no vectors.
    if ((await countVectors(vectors, settled, Number.MAX_SAFE_INTEGER, pollMs, bounded, true)) >= settled) return []
  } catch (error) {
    if (signal.aborted) throw abortError(signal)
    // Without a change a sync does not need the cloud.
    if (bounded.aborted || (isAgentKitError(error) && error.retryable)) return []
    throw error
  }
  const lost: string[] = []
  for (let ids = ledger.page('', 1000); ids.length > 0; ids = ledger.page(ids.at(-1) ?? '', 1000)) {
    const there = await vectors.fetch(ids, signal)
    for (const id of ids) if (!there.has(id)) lost.push(id)
  }
  return lost
}
