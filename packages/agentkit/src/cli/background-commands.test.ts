import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import {
  closeSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { Agent, type AgentOptions, type SessionStore, Swarm, tool } from '@agentkit/core'
import { sqliteSessions } from '@agentkit/sessions'
import { buildPackages, builtEnvironment } from '@agentkit/test-build'
import { type ScriptedTurn, scriptedModel } from '@agentkit/testing'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { cliFile } from '../__fixtures__/cli-folder.ts'

// Commands are processes of their own, on one SQLite file with the agents of this one.
const arguments_ = [cliFile]
const patiently = { timeout: 30_000 }
const agents = `import { Agent, Swarm } from 'agentkit'
const model = 'offline/extractive'
const options = { functions: [], model, sessions: process.env.SESSIONS }
export const writer = new Agent({ name: 'Writer', ...options })
export const team = new Swarm({ name: 'Team', agents: [writer], ...options })
`

let folder: string
let path: string
let sessions: SessionStore
let workers: ChildProcess[]
beforeAll(buildPackages)
beforeAll(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), 'agentkit-background-')))
  writeFileSync(join(folder, 'package.json'), '{ "type": "module" }')
  writeFileSync(join(folder, 'agents.ts'), agents)
  mkdirSync(join(folder, 'node_modules'))
  symlinkSync(join(import.meta.dirname, '../..'), join(folder, 'node_modules/agentkit'), 'dir')
})
beforeEach(() => {
  path = join(mkdtempSync(join(folder, 'store-')), 'sessions.db')
  sessions = sqliteSessions(path)
  workers = []
})
afterEach(async () => {
  for (const worker of workers) if (worker.exitCode === null) worker.kill('SIGKILL')
  await sessions.close()
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

function agentOf(turns: readonly ScriptedTurn[], options: Partial<AgentOptions> = {}): Agent {
  return new Agent({ name: 'Writer', functions: [], model: scriptedModel([...turns]), sessions, ...options })
}

async function agentkit(...words: string[]): Promise<{ code: number; out: string; error: string }> {
  const options = { cwd: folder, env: { ...builtEnvironment(), SESSIONS: path } }
  try {
    const { stdout, stderr } = await promisify(execFile)(process.execPath, [...arguments_, ...words], options)
    return { code: 0, out: stdout.trim(), error: stderr.trim() }
  } catch (error) {
    const { code, stdout, stderr } = error as { code: number; stdout: string; stderr: string } // what `execFile` throws
    return { code, out: stdout.trim(), error: stderr.trim() }
  }
}

/** The same, without the file: on the store alone. */
const onStore = (...words: string[]) => agentkit(...words, '--sessions', path)

/** A worker that has printed its first line. */
async function worker(words: string[] = [], cwd: string = folder): Promise<{ child: ChildProcess; out: () => string }> {
  const env = { ...builtEnvironment(), SESSIONS: path }
  const child = spawn(process.execPath, [...arguments_, 'worker', 'agents.ts', ...words], { cwd, env })
  workers.push(child)
  let out = ''
  child.stdout?.on('data', (chunk) => {
    out += chunk
  })
  child.stderr?.on('data', (chunk) => {
    out += chunk
  })
  await expect.poll(() => out, patiently).toContain('Working on')
  return { child, out: () => out }
}

describe('agentkit worker', () => {
  it('works on the runs of all agents of its file, and ends with 0 at SIGTERM', async () => {
    const { runId } = await agentOf([]).enqueue('Hello, who are you?')
    const { child, out } = await worker(['--concurrency', '3'])
    expect(out()).toContain('Working on the swarm team, the agent writer, stored in')
    expect(out()).toContain('sessions.db: 3 runs at once, process ')
    expect((await agentOf([]).result(runId)).text).toContain('offline')
    await expect.poll(out, patiently).toContain(`info A run has ended. run_id="${runId}" finish_reason="stop"`)
    child.kill('SIGTERM')
    expect(await once(child, 'exit')).toEqual([0, null])
  })

  it.skipIf(!existsSync('/dev/full'))('works on where its lines cannot be written, as on a full disk', async () => {
    const { runId } = await agentOf([]).enqueue('Hello, who are you?')
    const full = openSync('/dev/full', 'w')
    const child = spawn(process.execPath, [...arguments_, 'worker', 'agents.ts'], {
      cwd: folder,
      env: { ...builtEnvironment(), SESSIONS: path },
      stdio: ['ignore', full, full],
    })
    closeSync(full)
    workers.push(child)
    const exit = once(child, 'exit')
    expect((await agentOf([]).result(runId)).text).toContain('offline')
    child.kill('SIGTERM')
    expect(await exit).toEqual([0, null])
  })

  it('lists schedules of other agents that start nothing', async () => {
    await agentOf([], { name: 'Mailer' }).schedule('digest', { cron: '0 7 * * *' }, 'Write it')
    const { child, out } = await worker()
    await expect
      .poll(out, patiently)
      .toContain('No worker has had the agent "mailer" yet: its schedules start nothing (digest).')
    child.kill('SIGTERM')
    await once(child, 'exit')
  })

  it('removes the data that [retention] names, without a server', async () => {
    const cwd = mkdtempSync(join(folder, 'retention-'))
    writeFileSync(join(cwd, 'agents.ts'), agents)
    writeFileSync(join(cwd, 'agentkit_config.toml'), '[retention]\nmax_sessions_per_user = 1\n')
    const agent = agentOf(['One.', 'Two.'])
    for (const sessionId of ['a', 'b']) await agent.chat('Hi', { sessionId })
    const { child, out } = await worker([], cwd)
    await expect.poll(out, patiently).toContain('Removed 1 session with 1 run, as the retention says.')
    child.kill('SIGTERM')
    await once(child, 'exit')
  })

  it('logs as JSON when the configuration says production, as a server does', async () => {
    const cwd = mkdtempSync(join(folder, 'production-'))
    writeFileSync(join(cwd, 'agents.ts'), agents)
    writeFileSync(join(cwd, 'agentkit_config.toml'), '[defaults]\nenvironment = "production"\n')
    const { runId } = await agentOf([]).enqueue('Hello, who are you?')
    const { child, out } = await worker([], cwd)
    await expect.poll(out, patiently).toContain(`"msg":"A run has ended.","run_id":"${runId}"`)
    child.kill('SIGTERM')
    await once(child, 'exit')
  })

  it('fails a run of a user who has used up the day by [server]', async () => {
    const cwd = mkdtempSync(join(folder, 'limits-'))
    writeFileSync(join(cwd, 'agents.ts'), agents)
    writeFileSync(join(cwd, 'agentkit_config.toml'), '[server]\nmax_user_daily_tokens = 1\n')
    const agent = agentOf(['One.'])
    await agent.chat('Hi', { userId: 'ann', sessionId: 's' })
    const { runId } = await agent.enqueue('Hi', { userId: 'ann' })
    const { child, out } = await worker([], cwd)
    expect((await agent.result(runId)).error).toMatchObject({ code: 'budget' })
    await expect.poll(out, patiently).toContain(`error A run has failed. run_id="${runId}"`)
    child.kill('SIGTERM')
    await once(child, 'exit')
  })

  it('is continued by another worker when it is killed', async () => {
    const { child } = await worker()
    child.kill('SIGKILL')
    await once(child, 'exit')
    const { runId } = await agentOf([]).enqueue('Hello, who are you?')
    const next = await worker()
    expect((await agentOf([]).result(runId)).finishReason).toBe('stop')
    next.child.kill('SIGTERM')
    await once(next.child, 'exit')
  })
})

describe('agentkit runs', () => {
  it('lists runs, of a file and of a store', async () => {
    const { runId } = await agentOf([]).enqueue('Write', { userId: 'ann', sessionId: 'q3' })
    const other = await agentOf([], { name: 'Mailer' }).enqueue('Write')
    const ofFile = await agentkit('runs', 'list', 'agents.ts')
    expect(ofFile.out).toMatch(new RegExp(`${runId} +writer +ann +q3 +queued +0`))
    expect(ofFile.out).not.toContain(other.runId)
    const ofStore = await onStore('runs')
    expect(ofStore.out.split('\n').slice(1)).toHaveLength(2)
    for (const words of [
      ['--user', 'bob'],
      ['--status', 'done'],
      ['--agent', 'team'],
      ['--session', 'q4'],
    ]) {
      expect((await agentkit('runs', 'list', 'agents.ts', ...words)).out).toBe('No runs.')
    }
    const misspelt = await onStore('runs', '--agent', 'writr')
    expect(misspelt).toMatchObject({ code: 2, error: expect.stringContaining('Did you mean "writer"?') })
  })

  it.skipIf(!existsSync('/dev/full'))('says that its output cannot be written, also of a file', async () => {
    const words = [process.execPath, ...arguments_].map((word) => `"${word}"`).join(' ')
    const options = { cwd: folder, env: { ...builtEnvironment(), SESSIONS: path } }
    const ended = promisify(execFile)('sh', ['-c', `${words} runs agents.ts > /dev/full`], options)
    await expect(ended).rejects.toMatchObject({ code: 1, stderr: 'The output cannot be written: ENOSPC.\n' })
  })

  it('lists the runs of a file whose agent has no model and no key, and does not speak of answers', async () => {
    for (const name of ['LLMPROVIDER_API_KEY', 'OPENAI_API_KEY']) vi.stubEnv(name, '')
    const { runId } = await agentOf([]).enqueue('Write')
    writeFileSync(
      join(folder, 'keyless.ts'),
      `import { Agent } from 'agentkit'
export const writer = new Agent({ name: 'Writer', functions: [], sessions: process.env.SESSIONS })
`,
    )
    const { code, out, error } = await agentkit('runs', 'list', 'keyless.ts')
    vi.unstubAllEnvs()
    expect({ code, error }).toEqual({ code: 0, error: '' })
    expect(out).toContain(runId)
  })

  it.each([
    [['runs', 'shwo', 'run_1'], "error: unknown command 'shwo'\n(Did you mean show?)"],
    [['runs', 'schedules', 'remvoe', 'digest'], "error: unknown command 'remvoe'\n(Did you mean remove?)"],
    [['runs', 'approve', 'run_1'], "unknown command 'approve'\n(Its commands are list, show, cancel, retry, schedules"],
    [['runs', 'agents.ts', 'run_1'], "error: too many arguments for 'list'"],
  ])('exits with 2 for %j', async (words, message) => {
    expect(await agentkit(...words)).toMatchObject({ code: 2, error: expect.stringContaining(message) })
  })

  it('lists the runs of a swarm, whose members have turns too, without its file', async () => {
    const model = scriptedModel([{ toolCalls: [{ name: 'ann', input: { task: 'Help.' } }] }, 'All is done.'])
    const ann = new Agent({ name: 'Ann', functions: [], model: scriptedModel(['I help.']) })
    const team = new Swarm({ name: 'Team', agents: [ann], model, sessions })
    await team.chat('Go', { sessionId: 's' })
    expect(await sessions.load({ agentId: 'team/ann', userId: 'default', sessionId: 's' })).toBeDefined()
    const { out, error } = await onStore('runs')
    expect({ lines: out.split('\n').slice(1), error }).toEqual({
      lines: [expect.stringMatching(/ team +.* done /)],
      error: '',
    })
  })

  it('shows a run, its open approvals and its undelivered notices', async () => {
    const { runId } = await agentOf([], { onRunEnd: () => {} }).enqueue('Write')
    await agentOf([]).cancel(runId)
    const { out } = await onStore('runs', 'show', runId)
    expect(out).toMatch(/^run +run_\S+\nagent +writer, version \w+\nuser +default\nstatus +failed \(aborted\)/)
    expect(out).toMatch(/\nnotice +\S+ of \S+Z waits to be delivered$/)
  })

  it('counts what the members of a swarm have used that wait', async () => {
    const call = (name: string) => scriptedModel([{ toolCalls: [{ name, input: { task: 'Pay.' } }] }])
    const pay = tool({
      ...{ name: 'pay', description: 'Pays.', input: { type: 'object' }, needsApproval: true },
      execute: () => 'paid',
    })
    const agents = [new Agent({ name: 'Clerk', functions: [pay], model: call('pay') })]
    const team = new Swarm({ name: 'Team', agents, model: call('clerk'), sessions })
    const worker = await team.work()
    const { runId } = await team.enqueue('Pay.')
    await team.result(runId)
    await worker.close()
    expect((await onStore('runs', 'show', runId)).out).toContain('\ntokens    20 in, 10 out\n')
  })

  it('ends with 1 for an unknown run, and for one of another agent', async () => {
    const other = await agentOf([], { name: 'Mailer' }).enqueue('Write')
    for (const runId of ['run_unknown', other.runId]) {
      const { code, error } = await agentkit('runs', 'show', runId, 'agents.ts')
      expect({ code, error }).toEqual({ code: 1, error: expect.stringContaining(`There is no run "${runId}" in`) })
    }
  })

  it('cancels a queued run, once', async () => {
    const { runId } = await agentOf([]).enqueue('Write')
    expect((await onStore('runs', 'cancel', runId)).out).toBe(`The run ${runId} is cancelled.`)
    expect((await onStore('runs', 'cancel', runId)).out).toBe(`The run ${runId} had ended.`)
  })

  it('retries a failed run, and no other', async () => {
    const agent = agentOf([])
    const { runId } = await agent.enqueue('Write')
    const early = await onStore('runs', 'retry', runId)
    expect({ code: early.code, error: early.error }).toEqual({ code: 1, error: expect.stringContaining('queued') })
    await agent.cancel(runId)
    expect((await onStore('runs', 'retry', runId)).out).toBe(`The run ${runId} is queued again.`)
    expect(await agent.runs({ status: 'queued' })).toMatchObject([{ runId }])
  })

  it('lists schedules and removes them', async () => {
    const agent = agentOf([])
    await agent.schedule('digest', { cron: '0 7 * * 1-5', timeZone: 'Europe/Berlin' }, 'Write', { userId: 'ann' })
    const { out, error } = await onStore('runs', 'schedules')
    expect(out).toMatch(/digest +writer +0 7 \* \* 1-5 +Europe\/Berlin +skip +\S+Z +- +ann/)
    expect(error).toContain('its schedules start nothing (digest)')
    expect((await onStore('runs', 'schedules', 'remove', 'digest')).out).toBe(
      'The schedule "digest" of writer is removed.',
    )
    expect(await agent.schedules()).toEqual([])
    const again = await onStore('runs', 'schedules', 'remove', 'digest')
    expect({ code: again.code, error: again.error }).toEqual({
      code: 1,
      error: expect.stringContaining('no schedule "digest"'),
    })
  })
})

describe('agentkit queue', () => {
  it('builds the queue again from the store', async () => {
    const agent = agentOf([])
    await agent.enqueueMany([{ input: 'One' }, { input: 'Two', sessionId: 's' }])
    await sessions.runs?.background?.queue.clear()
    expect((await onStore('queue', 'counts')).out).toBe('No jobs.')
    expect((await onStore('queue', 'rebuild')).out).toContain(': 2 jobs in the queue.')
    expect((await onStore('queue', 'rebuild')).out).toContain(': 2 jobs in the queue.')
    expect((await onStore('queue', 'counts')).out).toMatch(/^agent +queued +taken +oldest\nwriter +2 +0 +\d+\.\d s$/)
    await agentOf([], { name: 'Mailer' }).enqueue('Three')
    expect((await onStore('queue', 'counts', '--agent', 'mailer')).out).toMatch(/^agent .*\nmailer +1 +0 +\d+\.\d s$/)
    expect((await onStore('queue', 'migrate')).out).toContain(': the tables are prepared.')
  })

  it('counts the jobs of a store once, whichever agents of a file have opened it', async () => {
    await agentOf([]).enqueueMany([{ input: 'One' }, { input: 'Two' }])
    writeFileSync(
      join(folder, 'two-agents.ts'),
      `import { Agent } from 'agentkit'
const options = { functions: [], model: 'offline/extractive', sessions: process.env.SESSIONS }
export const writer = new Agent({ name: 'Writer', ...options })
export const mailer = new Agent({ name: 'Mailer', ...options })
`,
    )
    const counted = await agentkit('queue', 'counts', 'two-agents.ts')
    expect(counted.out).toMatch(/^agent +queued +taken +oldest\nwriter +2 +0 +\d+\.\d s$/)
    const rebuilt = await agentkit('queue', 'rebuild', 'two-agents.ts')
    expect(rebuilt.out.match(/2 jobs in the queue/g)).toHaveLength(1)
  })

  it('is built again while workers run: a run that loses its job ends its step, and continues from there', async () => {
    const { promise, resolve } = Promise.withResolvers<void>()
    const done: string[] = []
    const think: ScriptedTurn = async () => {
      done.push('model')
      await promise
      return { toolCalls: [{ name: 'pay' }] }
    }
    const pay = tool({
      name: 'pay',
      description: 'Pays.',
      input: { type: 'object' },
      execute: () => void done.push('pay'),
    })
    const agent = agentOf([think, 'Paid.', 'Second.'], { functions: [pay] })
    const { queue } = sessions.runs?.background ?? expect.unreachable()
    const { keep } = queue
    let lost = 0
    queue.keep = async (jobs) => {
      const gone = await keep(jobs)
      lost += gone.length
      return gone
    }
    const working = await agent.work()
    const items = [
      { input: 'One', sessionId: 's' },
      { input: 'Two', sessionId: 's' },
    ]
    const [first, second] = await agent.enqueueMany(items)
    await expect.poll(() => done, patiently).toEqual(['model'])
    expect((await onStore('queue', 'rebuild')).code).toBe(0)
    await expect.poll(() => lost, patiently).toBe(1)
    resolve()
    expect(await agent.result(first?.runId ?? '')).toMatchObject({ text: 'Paid.' })
    expect(await agent.result(second?.runId ?? '')).toMatchObject({ text: 'Second.' })
    expect(done).toEqual(['model', 'pay'])
    await working.close()
  })
})
