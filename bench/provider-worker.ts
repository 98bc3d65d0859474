import { rawCall } from './contestants/raw-provider.ts'
import { type Call, providers, requestOf } from './provider-calls.ts'
import type { Measured } from './worker.ts'

/** Calls one provider repeatedly, by its SDK, by agentkit's package or by hand, and answers with the cost. */
export type ProviderJob = { tokens: number; forMs: number; oneByOne?: boolean }

const [contestant = '', provider = '', url = ''] = process.argv.slice(2)
const bench = providers[provider]
if (!bench) throw new Error(`There is no provider "${provider}".`)
const callers = { sdk: () => bench.sdk(url), agentkit: agentkitCall, 'raw-http': async () => rawCall(url) }
const call = await callers[contestant as keyof typeof callers]()

process.on('message', async ({ tokens, forMs, oneByOne }: ProviderJob) => {
  try {
    const startedAt = performance.now()
    const cpuBefore = process.cpuUsage()
    let units = 0
    do {
      const text = await call(`Say ${tokens} tokens${oneByOne ? ', one by one' : ''}, please.`)
      if (text.split(' tok').length - 1 !== tokens)
        throw new Error(`The answer was ${JSON.stringify(text.slice(0, 200))}.`)
      units++
    } while (performance.now() - startedAt < forMs)
    const cpu = process.cpuUsage(cpuBefore)
    const measured: Measured = {
      units,
      cpuMs: (cpu.user + cpu.system) / 1000 / units,
      wallMs: (performance.now() - startedAt) / units,
      peakMb: process.resourceUsage().maxRSS / 1024,
    }
    process.send?.(measured)
  } catch (error) {
    process.send?.({ error: String((error as Error).stack ?? error) })
  }
})
process.send?.('ready')

async function agentkitCall(): Promise<Call> {
  const model = await bench?.agentkit(url)
  return async (question) => {
    let text = ''
    for await (const event of model?.stream(requestOf(question), new AbortController().signal) ?? []) {
      if (event.type === 'text-delta') text += event.text
    }
    return text
  }
}
