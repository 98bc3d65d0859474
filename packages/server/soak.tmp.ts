import { mkdtempSync, readdirSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { join } from 'node:path'
import { Agent, tool, AgentKitError } from '@agentkit/core'
import { workOn } from '@agentkit/core/internal'
import { sqliteSessions } from '@agentkit/sessions'
import { getRequestListener } from '@hono/node-server'
import { setTimeout as sleep } from 'node:timers/promises'
import { createCapacity } from './src/capacity/capacity.ts'
import { boundConnections, idleMs, inTurn } from './src/capacity/connections.ts'
import { workerConcurrency, workerPlaces } from './src/capacity/worker-places.ts'
import { buildApp } from './src/create-app.ts'
import { checkOptions } from './src/options.ts'
import { recover } from './src/runs/recover.ts'
import { writingEvents } from './src/write-events.ts'
import { folderKnowledge } from './src/__fixtures__/folder-knowledge.ts'
import { writeHeapSnapshot } from 'node:v8'

const dir = mkdtempSync('/tmp/soak-')
const folder = join(dir, 'files'); 
const { mkdirSync } = await import('node:fs'); mkdirSync(folder)
writeFileSync(join(folder, 'big.txt'), Buffer.alloc(5_000_000, 'x'))
const usage = { inputTokens: 10, outputTokens: 5 }
const finish = (reason: string, content: any[]) => ({ type: 'finish', reason, usage, message: { v: 1, role: 'assistant', content } })
const model = {
  id: 'soak/x',
  info: { price: { inputUsdPerMillion: 1, outputUsdPerMillion: 1, asOf: '2026-01-01' } },
  async *stream({ messages }: any, signal: AbortSignal) {
    const last = messages.at(-1)
    const q = messages.findLast((m: any) => m.role === 'user')?.content
    const text = typeof q === 'string' ? q : JSON.stringify(q)
    if (last.role !== 'tool') {
      if (text.includes('FAIL')) throw new AgentKitError('provider-error', 'nope')
      if (text.includes('HANG')) { await sleep(60_000, undefined, { signal }) }
      if (text.includes('PAY')) { const c = { type: 'tool-call', callId: 'c' + Math.random().toString(36).slice(2), name: 'pay', input: { amount: 1 } }; yield c; yield finish('tool-calls', [c]); return }
      if (text.includes('TOOL')) { const c = { type: 'tool-call', callId: 'c' + Math.random().toString(36).slice(2), name: 'look', input: {} }; yield c; yield finish('tool-calls', [c]); return }
    }
    let out = ''
    for (let i = 0; i < 10; i++) { await sleep(Math.random() * 8, undefined, { signal }); const t = 'word '.repeat(text.includes('LONG') ? 2000 : 3); out += t; yield { type: 'text-delta', text: t } }
    yield finish('stop', [{ type: 'text', text: out }])
  },
}
const pay = tool({ name: 'pay', description: 'Pays.', input: { type: 'object', properties: { amount: { type: 'number' } } }, needsApproval: true, execute: async () => 'paid' } as any)
const look = tool({ name: 'look', description: 'Looks.', input: { type: 'object' }, execute: async () => { await sleep(5); return 'x'.repeat(1000) } } as any)
const sessions = sqliteSessions(join(dir, 's.db'))
const agent: any = new Agent({ name: 'A', model, functions: [pay, look], sessions, knowledge: folderKnowledge(folder), maxSteps: 5 } as any)
const settings = checkOptions({ port: 0, metrics: true, log: () => {}, dialects: ['openai', 'ui', 'agui', 'mcp', 'a2a'], limits: { stalledMs: 2000, heartbeatMs: 500, deadlineMs: 5000, backgroundMs: 8000 }, auth: { tokens: Object.fromEntries([['service-token-0000000', '*'], ...Array.from({ length: 20 }, (_, i) => [`user-token-${String(i).padStart(10, '0')}`, `u${i}`])]) } })
const capacity: any = createCapacity(settings.limits, agent, settings.rules)
const app = buildApp(agent, settings, capacity)
const server = createServer(inTurn(getRequestListener(writingEvents(app.fetch as any), { hostname: settings.host, overrideGlobalObjects: false }), settings.limits, capacity))
boundConnections(server, settings as any, capacity)
server.setTimeout(idleMs(settings.limits))
await new Promise<void>((r) => server.listen(0, '127.0.0.1', r))
const worker = await workOn([agent], { concurrency: workerConcurrency(settings.limits.runs), places: workerPlaces(capacity.runs), admit: ({ userId }: any) => capacity.checkBudget(userId), onSpent: ({ userId }: any, spent: any) => capacity.countRun(userId, spent), keepsRetention: false, onError(e: any) { console.log('worker error', e) } } as any)
const stop = new AbortController()
recover({ agent, capacity, log: (e) => console.log('recover', e), signal: stop.signal })
process.on('unhandledRejection', (e) => console.log('UNHANDLED', e))
const figures = () => {
  for (let i = 0; i < 3; i++) (globalThis as any).gc()
  const m = process.memoryUsage()
  const res: Record<string, number> = {}
  for (const r of process.getActiveResourcesInfo()) res[r] = (res[r] ?? 0) + 1
  return JSON.stringify({ heapMB: +(m.heapUsed / 1e6).toFixed(2), rssMB: Math.round(m.rss / 1e6), ext: +(m.external / 1e6).toFixed(1), fds: readdirSync('/proc/self/fd').length, res, running: capacity.runs.running, queued: capacity.runs.queued, bound: capacity.boundRuns.size, totals: capacity.totals.spent.runs, tmp: readdirSync(folder, { recursive: true }).filter((n: any) => String(n).includes('.agentkit')).length })
}
process.on('message', async (what: any) => {
  if (what === 'figures') process.send!(figures())
  if (what?.snapshot) process.send!(writeHeapSnapshot(what.snapshot))
  if (what === 'close') { stop.abort(); await worker.close(); server.close(); server.closeAllConnections(); await new Promise(r => setTimeout(r, 1500)); console.log('closed', figures()); await agent.close(); await sessions.close(); process.disconnect() }
})
process.send!({ port: (server.address() as any).port })
