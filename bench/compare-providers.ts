import { type Contender, interleave, type Row } from './comparison.ts'
import { startChild } from './processes.ts'
import { providers } from './provider-calls.ts'
import type { ProviderJob } from './provider-worker.ts'
import type { Measured } from './worker.ts'

const jobs: readonly { row: string; unit: string; job: ProviderJob; divisor: number }[] = [
  { row: 'call', unit: 'call', job: { tokens: 20, forMs: 800 }, divisor: 1 },
  { row: 'token', unit: 'token', job: { tokens: 2000, forMs: 800 }, divisor: 2000 },
  { row: 'one by one', unit: 'token', job: { tokens: 200, forMs: 800, oneByOne: true }, divisor: 200 },
]

/**
 * Each provider's package against its official SDK, on the same stream: a call of 20 tokens, a token of 2,000 in one write,
 * and a token with a write of its own, 1 ms apart, which has the floor beside it.
 */
export async function compareProviders(
  names: readonly string[],
  timing: { rounds: number; warmMs: number },
): Promise<Row[]> {
  const rows: Row[] = []
  for (const provider of names) {
    const server = await startChild('./provider-server.ts', providers[provider]?.wire ?? '')
    const { url } = server.first as { url: string }
    for (const { row, unit, job, divisor } of jobs) {
      const enter = async (contestant: string): Promise<Contender> => {
        const worker = await startChild('./provider-worker.ts', contestant, provider, url)
        return {
          stop: worker.stop,
          async round() {
            const measured = await worker.ask<Measured>(job)
            return { ...measured, cpuMs: measured.cpuMs / divisor, wallMs: measured.wallMs / divisor }
          },
        }
      }
      // The minimal call is last: the server answers it with the bytes that it has sent to the SDK.
      const contestants = ['sdk', 'agentkit', 'raw-http']
      rows.push(...(await interleave({ name: `${provider} ${row}`, unit, contestants, enter }, timing)))
    }
    server.stop()
  }
  return rows
}
