import type { ChildProcess } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { until } from './__fixtures__/requests.ts'
import { freePort, type ServerProcess, startServer } from './__fixtures__/server-process.ts'
import { ask } from './__fixtures__/stored-agent.ts'

const children: ChildProcess[] = []
let folder = ''
let port = 0
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'agentkit-durable-'))
  port = await freePort()
})
afterEach(async () => {
  for (const child of children.splice(0)) child.kill('SIGKILL')
  rmSync(folder, { recursive: true, force: true })
})

async function start(delayMs: number, values: readonly string[]): Promise<ServerProcess> {
  const server = await startServer(folder, port, delayMs, { script: 'durable-swarm.ts', values })
  children.push(server.child)
  return server
}

/** Starts a run, and kills its process while the member's tool is at work. */
async function killAtWork(values: readonly string[], fields: Record<string, string> = {}): Promise<string | null> {
  const { url, child, exit } = await start(600_000, values)
  const stream = fetch(`${url}/api/v1/chat_stream`, ask('Note it.', fields))
  const broken = stream.then((response) => response.text()).catch(() => {})
  const runId = (await stream).headers.get('x-run-id')
  await until(() => effects().length === 1)
  child.kill('SIGKILL')
  await Promise.all([exit, broken])
  return runId
}

/** The lines of the effects file; a file that exists may have no line yet. */
const effects = (): string[] => {
  const file = join(folder, 'effects')
  return existsSync(file) ? readFileSync(file, 'utf8').split('\n').filter(Boolean) : []
}

type RunBody = { status: string; finish_reason: string | null; answer: string | null; approvals: Approval[] }
type Approval = { approval_id: string; kind: string; name: string; path: string[]; started_at: string }

/** Waits until a run is neither queued nor running. */
async function settled(url: string, runId: string | null): Promise<RunBody> {
  for (;;) {
    const body: RunBody = await (await fetch(`${url}/api/v1/runs/${runId}?user_id=ada`)).json()
    if (body.status !== 'running' && body.status !== 'queued') return body
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
}

function decide(url: string, runId: string | null, { approval_id }: Approval, decision: object): Promise<Response> {
  return fetch(`${url}/api/v1/runs/${runId}/approvals/${approval_id}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ user_id: 'ada', ...decision }),
  })
}

const noted = { result: 'Ann has noted it.' }

it.each([
  [['manager', 'idempotent'], { approve: false, reason: 'Ann has noted it.' }],
  [['manager', 'idempotent'], noted],
  [['parallel', 'idempotent'], noted],
  [['sequence', 'idempotent'], noted],
  // The steps of a handoff's members are the run's own.
  [['handoff'], noted],
])(
  'F22 a swarm whose process dies while a member works waits for a decision, and repeats no call: %j, %j',
  async (values, decision) => {
    const runId = await killAtWork(values, { resumable: 'true' })
    const { url } = await start(1, values)
    const waiting = await settled(url, runId)
    expect(waiting).toMatchObject({
      status: 'waiting',
      finish_reason: 'approval',
      attempts: 2,
      approvals: [{ kind: 'unknown-outcome', started_at: expect.stringMatching(/Z$/) }],
    })
    const inbox = await (await fetch(`${url}/api/v1/runs?user_id=ada&status=waiting`)).json()
    expect(inbox).toMatchObject({ runs: [{ run_id: runId }] })
    expect(effects()).toHaveLength(1)

    const [approval] = waiting.approvals
    expect((await decide(url, runId, approval as Approval, decision)).status).toBe(200)
    expect(await settled(url, runId)).toMatchObject({ status: 'done', finish_reason: 'stop', approvals: [] })
    expect(effects()).toHaveLength(1)
  },
)

it('F22 continues a handoff whose process dies within an idempotent call, which has the same key again', async () => {
  const values = ['handoff', 'idempotent']
  const runId = await killAtWork(values, { resumable: 'true' })
  const { url } = await start(1, values)
  expect(await settled(url, runId)).toMatchObject({ status: 'done', finish_reason: 'stop', attempts: 2 })
  const [first = '', ...others] = effects()
  expect(others).toEqual([first, first.replace('begin', 'end')])
})

it('ends a run that was not resumable as failed, and repeats no call of its members', async () => {
  const runId = await killAtWork(['manager', 'idempotent'])
  const { url } = await start(1, ['manager', 'idempotent'])
  expect(await settled(url, runId)).toMatchObject({ status: 'failed', error: { code: 'crashed' }, attempts: 1 })
  expect(effects()).toHaveLength(1)
})
