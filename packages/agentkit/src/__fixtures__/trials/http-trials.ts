// Two servers on one Postgres.
// node --conditions=@agentkit/source packages/agentkit/src/__fixtures__/trials/http-trials.ts [<turns>] [<restarts>]
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { type PostgresServer, testPostgres } from '@agentkit/test-postgres'

type Server = { url: string; child: ChildProcess }

export type SharedSessionReport = {
  turns: number
  /** Statuses of answers, with how often they came. */
  statuses: Record<string, number>
  /** Questions that are not followed by their answer, and those that are there twice or not at all. */
  wrong: string[]
  /** Messages of the conversation that were stored per second. */
  appendsPerSecond: number
}

/** Clients of both servers write into one session at once, eight at each. */
export async function shareSession(place: string, turns: number): Promise<SharedSessionReport> {
  const servers = await Promise.all([startServer(place), startServer(place)])
  try {
    await chat(servers[0].url, 'warm', 'Hello.')
    const statuses: Record<string, number> = {}
    let left = turns
    const since = performance.now()
    const client = async ({ url }: Server): Promise<void> => {
      while (left > 0) {
        const status = await chat(url, 'shared', `Question ${left--}.`)
        statuses[status] = (statuses[status] ?? 0) + 1
      }
    }
    await Promise.all(servers.flatMap((server) => Array.from({ length: 8 }, () => client(server))))
    const seconds = (performance.now() - since) / 1_000
    const response = await fetch(`${servers[0].url}/api/v1/chat_history?user_id=ada&session_id=shared`)
    if (!response.ok) throw new Error(`${JSON.stringify(statuses)} ${await response.text()}`)
    const history = (await response.json()) as { role: string; message: string }[]
    const wrong = history.flatMap(({ role, message }, index) => {
      const next = history[index + 1]
      const isRight = role !== 'user' || (next?.role === 'assistant' && next.message === 'Steps has worked.')
      return isRight ? [] : [message]
    })
    const questions = history.filter(({ role }) => role === 'user').map(({ message }) => message)
    for (let number = 1; number <= turns; number++) {
      const times = questions.filter((question) => question === `Question ${number}.`).length
      if (times !== 1) wrong.push(`Question ${number}: ${times} times`)
    }
    // A turn of three steps with two calls each stores eleven messages.
    return { turns, statuses, wrong, appendsPerSecond: Math.round((11 * turns) / seconds) }
  } finally {
    for (const { child } of servers) child.kill('SIGKILL')
  }
}

export type RestartedStreamReport = {
  streams: number
  /** The faults in the events that a client or a follower of the other server has received. */
  wrong: string[]
}

/** Postgres is restarted while runs stream to clients of one server, and are followed through the other one. */
export async function restartWhileStreaming(
  server: PostgresServer,
  place: string,
  restarts: number,
): Promise<RestartedStreamReport> {
  const [one, other] = await Promise.all([startServer(place, 1_500), startServer(place, 1_500)])
  const wrong: string[] = []
  let streams = 0
  try {
    for (let restart = 0; restart < restarts; restart++) {
      const streaming = Array.from({ length: 4 }, async (_, index) => {
        const body = bodyOf(`stream-${restart}-${index}`, 'Go.')
        const headers = { 'content-type': 'application/json', accept: 'text/event-stream' }
        const answer = await fetch(`${one.url}/api/v1/chat_stream`, { method: 'POST', headers, body })
        const runId = answer.headers.get('x-run-id')
        const followed = fetch(`${other.url}/api/v1/runs/${runId}/events?user_id=ada`).then((response) => response.text())
        const [direct, followedText] = await Promise.all([answer.text(), followed])
        streams++
        for (const [name, text] of [
          ['client', direct],
          ['follower', followedText],
        ] as const) {
          const seqs = [...text.matchAll(/^id: (\d+)$/gm)].map(([, seq]) => Number(seq))
          const isOrdered = seqs.every((seq, at) => at === 0 || seq > (seqs[at - 1] ?? 0))
          const isWhole = /"type":"run-end"/.test(text) && /"finishReason":"stop"/.test(text)
          if (!isOrdered || !isWhole) wrong.push(`${name} ${restart}-${index}: ${answer.status} …${text.slice(-400)}`)
        }
        const ids = (text: string): string => [...text.matchAll(/^id: (\d+)$/gm)].map(([, seq]) => seq).join()
        if (ids(direct) !== ids(followedText)) wrong.push(`${restart}-${index}: they differ`)
      })
      await sleep(500 + Math.random() * 1_500)
      await server.restart(restart % 2 === 0 ? 'fast' : 'immediate')
      await Promise.all(streaming)
    }
    return { streams, wrong }
  } finally {
    for (const { child } of [one, other]) child.kill('SIGKILL')
  }
}

async function startServer(place: string, thinkMs = 0): Promise<Server> {
  const file = fileURLToPath(new URL('./trial-server.ts', import.meta.url))
  const words = ['--conditions=@agentkit/source', '--no-warnings', file, place, String(thinkMs)]
  const child = spawn(process.execPath, words, { stdio: ['ignore', 'pipe', 'inherit'], env: { ...process.env, NODE_OPTIONS: '' } })
  const [url] = await once(createInterface({ input: child.stdout }), 'line')
  return { url, child }
}

async function chat(url: string, session: string, question: string): Promise<number> {
  const headers = { 'content-type': 'application/json', accept: 'application/json' }
  const response = await fetch(`${url}/api/v1/chat`, { method: 'POST', headers, body: bodyOf(session, question) })
  await response.text()
  return response.status
}

function bodyOf(session: string, content: string): string {
  return JSON.stringify({ user_id: 'ada', session_id: session, messages: [{ role: 'user', content }], resumable: true })
}

if (process.argv[1]?.endsWith('http-trials.ts')) {
  const [turns = '200', restarts = '10'] = process.argv.slice(2)
  const server = await testPostgres()
  console.log(await shareSession(await server.createDatabase(), Number(turns)))
  console.log(await restartWhileStreaming(server, await server.createDatabase(), Number(restarts)))
  process.exit()
}
