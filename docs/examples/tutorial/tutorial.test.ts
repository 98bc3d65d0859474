import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { buildPackages, builtEnvironment } from '@agentkit/test-build'
import { testDatabase } from '@agentkit/test-postgres'
import { afterEach, beforeAll, beforeEach, expect, it } from 'vitest'

// Each step as a reader runs it, in a folder of its own, without a key.

const register = `--import=${import.meta.resolve('agentkit/package.json').replace('package.json', 'dist/register.js')}`
const cli = fileURLToPath(import.meta.resolve('agentkit/package.json').replace('package.json', 'dist/cli.js'))
const running: ChildProcess[] = []
let folder: string

beforeAll(buildPackages)
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'agentkit-tutorial-'))
})
afterEach(async () => {
  for (const child of running.splice(0)) {
    child.kill('SIGKILL')
    if (child.exitCode === null && child.signalCode === null) await once(child, 'exit')
  }
  rmSync(folder, { recursive: true, force: true })
})

function environment(variables: Record<string, string> = {}): NodeJS.ProcessEnv {
  return { ...builtEnvironment(), LLMPROVIDER_API_KEY: '', OPENAI_API_KEY: '', ...variables }
}

async function run(file: string, variables?: Record<string, string>): Promise<string> {
  const options = { cwd: folder, env: environment(variables) }
  const { stdout } = await promisify(execFile)(process.execPath, [register, join(import.meta.dirname, file)], options)
  return stdout
}

/** Starts a process that stays, and returns its first line that matches. */
async function start(args: string[], pattern: RegExp, cwd: string, variables = {}): Promise<string> {
  const child = spawn(process.execPath, [register, ...args], { cwd, env: environment(variables) })
  running.push(child)
  let output = ''
  child.stderr.setEncoding('utf8').on('data', (text) => {
    output += text
  })
  for await (const text of child.stdout.setEncoding('utf8')) {
    output += text
    const [line] = pattern.exec(output) ?? []
    if (line !== undefined) return line
  }
  throw new Error(`It ended before it printed ${pattern}:\n${output}`)
}

it.each<[step: string, ...facts: (string | RegExp)[]]>([
  ['01-agent', 'offline stand-in'],
  ['02-tool', 'employee: ada, days: 12 (from daysLeft)'],
  ['03-stream', "calls daysLeft { employee: 'kim' }", 'days: 3', /^stop, \d+ tokens$/m],
  ['04-session', 'number 17', '4 messages are stored'],
  ['05-output', 'Paper House 46'],
  ['06-approval', /^approval \[/m, "name: 'reimburse'", '80 euros are on their way to ada.'],
  ['07-files', 'more than four hours', /^expenses\.md, "Expenses > Trains": /m],
  ['08-swarm', 'office > people calls daysLeft', '30 days of holiday', 'days: 12', "'holidays.md'"],
])('step %s does what the tutorial says', async (step, ...facts) => {
  const output = await run(`${step}/app.ts`)
  for (const fact of facts) expect(output).toMatch(fact)
})

it('step 04-session continues the conversation in the next process', async () => {
  await run('04-session/app.ts')
  expect(await run('04-session/app.ts')).toContain('8 messages are stored')
})

it('step 09-server answers over HTTP', async () => {
  const app = join(import.meta.dirname, '09-server/app.ts')
  const line = await start([app], /Open http:\S+ in/, folder, { PORT: '0' })
  const form = new FormData()
  const message = { role: 'user', content: 'How many days has the employee "kim" left?' }
  for (const [name, value] of [
    ['user_id', 'kim'],
    ['session_id', 'first'],
  ] as const)
    form.set(name, value)
  form.set('chat_data', JSON.stringify({ messages: [message] }))
  const response = await fetch(`${line.split(' ')[1]}/api/v1/chat`, { method: 'POST', body: form })
  expect(await response.text()).toContain('days: 3')
})

it('step 10-machines shares the runs of a swarm among three workers by Postgres', async () => {
  const shared = { SESSIONS: await testDatabase() }
  const office = join(import.meta.dirname, '10-machines/office.ts')
  for (const machine of ['one', 'two', 'three']) {
    const place = join(folder, machine)
    mkdirSync(place)
    await start([cli, 'worker', office], /Working on the swarm office/, place, shared)
  }
  const output = await run('10-machines/ask.ts', shared)
  expect(output).toContain('3 runs are stored')
  expect(output.match(/^stop /gm)).toHaveLength(3)
  for (const fact of ['employee: ada, days: 12', 'employee: kim, days: 30', '"Every employee has 30 days']) {
    expect(output).toContain(fact)
  }
})
