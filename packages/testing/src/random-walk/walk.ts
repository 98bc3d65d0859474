import { type Random, randomOf } from './random.ts'

/** How many sequences a walk tries: `AGENTKIT_WALKS`, or the given number. */
export function walks(usual: number): number {
  const wanted = Number(process.env.AGENTKIT_WALKS)
  return Number.isInteger(wanted) && wanted > 0 ? wanted : usual
}

/**
 * Tries sequences of random operations, each with a seed of its own, which the error of a failed one names:
 * `AGENTKIT_SEED=17 AGENTKIT_WALKS=1` tries that one again.
 */
export async function walk(
  count: number,
  sequence: (random: Random, seed: number, note: (operation: string) => void) => Promise<void>,
): Promise<void> {
  const first = Number(process.env.AGENTKIT_SEED ?? 0)
  for (let seed = first; seed < first + count; seed++) {
    const operations: string[] = []
    try {
      await sequence(randomOf(seed), seed, (operation) => void operations.push(operation))
    } catch (cause) {
      const reason = cause instanceof Error ? cause.message : String(cause)
      const last = operations.map((operation) => `  ${operation}`).join('\n')
      throw new Error(`AGENTKIT_SEED=${seed}: ${reason}\nafter\n${last}`, { cause })
    }
  }
}
