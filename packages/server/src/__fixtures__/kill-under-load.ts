// Kills a server at random moments under load over HTTP, and checks what it has promised.
// node --conditions=@agentkit/source packages/server/src/__fixtures__/kill-under-load.ts [<kills>] [<seed>]
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { setTimeout as sleep } from 'node:timers/promises'
import { type ServerProcess, freePort, startServer } from './server-process.ts'

export type KillReport = {
  kills: number
  /** Runs whose id a client has received. */
  acknowledged: number
  /** Runs that the next process does not know, or whose message is missing. */
  lost: string[]
  /** Runs that were neither ended nor suspended 15 s after the restart. */
  open: string[]
  /** Calls of the tool that were made more than once. */
  repeated: string[]
  /** How the runs ended. */
  statuses: Record<string, number>
  integrity: unknown
}

const workers = 8
/** Within this time after a restart each run has ended or waits. */
const recoveryMs = 15_000

/** @param slow how many times slower the machine may be than the promise of 15 s assumes */
export async function killUnderLoad(kills: number, seed: number, slow = 1): Promise<KillReport> {
  const folder = mkdtempSync(join(tmpdir(), 'agentkit-kills-'))
  const random = randomOf(seed)
  const port = await freePort()
  const acknowledged = new Map<string, string>()
  const open = new Set<string>()
  const settled = new Map<string, string>()
  let server: ServerProcess | undefined
  try {
    for (let round = 0; round <= kills; round++) {
      server = await startServer(folder, port, 5)
      for (const runId of await unsettledAfter(recoveryMs * slow, server.url, acknowledged.keys(), settled)) open.add(runId)
      if (round === kills) break
      const stopped = new AbortController()
      const load = Array.from({ length: workers }, (_, worker) =>
        sendMessages(server?.url ?? '', `${round}-${worker}`, acknowledged, stopped.signal),
      )
      await sleep(20 + random() * 400)
      server.child.kill('SIGKILL')
      await server.exit
      stopped.abort()
      await Promise.all(load)
    }
    const lost = await lostMessages(server?.url ?? '', acknowledged)
    server?.child.kill('SIGTERM')
    await server?.exit
    const statuses: Record<string, number> = {}
    for (const status of settled.values()) statuses[status] = (statuses[status] ?? 0) + 1
    const repeated = repeatedCalls(join(folder, 'effects'))
    const database = new DatabaseSync(join(folder, 'sessions.db'), { readOnly: true })
    const integrity = Object.values(database.prepare('PRAGMA integrity_check').get() ?? {})[0]
    database.close()
    return { kills, acknowledged: acknowledged.size, lost, open: [...open], repeated, statuses, integrity }
  } finally {
    server?.child.kill('SIGKILL')
    rmSync(folder, { recursive: true, force: true })
  }
}

/** Acts as one client: sends one message after another, in its own sessions, until the server dies. */
async function sendMessages(
  url: string,
  client: string,
  acknowledged: Map<string, string>,
  signal: AbortSignal,
): Promise<void> {
  for (let index = 0; !signal.aborted; index++) {
    const message = `${client}-${index}: count 5`
    const body = JSON.stringify({
      user_id: 'ada',
      session_id: client,
      messages: [{ role: 'user', content: message }],
      resumable: true,
    })
    const headers = { 'content-type': 'application/json' }
    try {
      const response = await fetch(`${url}/api/v1/chat_stream`, { method: 'POST', body, headers, signal })
      const runId = response.headers.get('x-run-id')
      if (response.status === 200 && runId !== null) acknowledged.set(runId, message)
      await response.text()
    } catch {
      return
    }
  }
}

/** Reads runs until they have ended or wait. @returns those that have not in time */
async function unsettledAfter(
  ms: number,
  url: string,
  runIds: Iterable<string>,
  settled: Map<string, string>,
): Promise<string[]> {
  let left = [...runIds].filter((runId) => !settled.has(runId) || settled.get(runId) === 'running')
  const giveUpAt = performance.now() + ms
  while (left.length > 0 && performance.now() < giveUpAt) {
    for (const runId of left) {
      const response = await fetch(`${url}/api/v1/runs/${runId}?user_id=ada`)
      const { status = 'unknown' } = (await response.json()) as { status?: string | number }
      settled.set(runId, String(status))
    }
    left = left.filter((runId) => settled.get(runId) === 'running')
    if (left.length > 0) await sleep(100)
  }
  return left
}

async function lostMessages(url: string, acknowledged: ReadonlyMap<string, string>): Promise<string[]> {
  const lost: string[] = []
  for (const [runId, message] of acknowledged) {
    const run = await fetch(`${url}/api/v1/runs/${runId}?user_id=ada`)
    const { session_id, status } = (await run.json()) as { session_id?: string; status: string }
    const history = await fetch(`${url}/api/v1/chat_history?user_id=ada&session_id=${session_id}`)
    const isThere = (await history.text()).includes(JSON.stringify(message))
    if (run.status !== 200 || (status === 'done' && !isThere)) lost.push(runId)
  }
  return lost
}

/** The tool is not idempotent: a call whose process died waits for a person, and is not made again. */
function repeatedCalls(path: string): string[] {
  const lines = existsSync(path) ? readFileSync(path, 'utf8').split('\n') : []
  const begun = lines.filter((line) => line.startsWith('begin '))
  return begun.filter((line, index) => begun.indexOf(line) !== index)
}

/** Numbers from 0 to 1, the same for the same seed. */
function randomOf(seed: number): () => number {
  let state = seed
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return state / 2 ** 32
  }
}

if (process.argv[1]?.endsWith('kill-under-load.ts')) {
  const [kills = '100', seed = String(Date.now())] = process.argv.slice(2)
  console.log(`seed ${seed}`, await killUnderLoad(Number(kills), Number(seed)))
}
