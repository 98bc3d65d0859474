import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { Agent, type Message, tool } from '@agentkit/core'
import { evaluate, exact } from '@agentkit/evals'
import { sqliteSessions } from '@agentkit/sessions'
import { buildPackages, builtEnvironment } from '@agentkit/test-build'
import { scriptedModel } from '@agentkit/testing'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { cliFile } from '../__fixtures__/cli-folder.ts'

const patiently = { timeout: 60_000 }

let folder: string
beforeAll(buildPackages)
beforeAll(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), 'agentkit-eval-command-')))
  writeFileSync(join(folder, 'package.json'), '{ "type": "module" }')
  mkdirSync(join(folder, 'node_modules/@agentkit'), { recursive: true })
  symlinkSync(join(import.meta.dirname, '../..'), join(folder, 'node_modules/agentkit'), 'dir')
  for (const name of ['evals', 'core']) {
    symlinkSync(join(import.meta.dirname, '../../..', name), join(folder, 'node_modules/@agentkit', name), 'dir')
  }
  writeFileSync(
    join(folder, 'cases.jsonl'),
    '{"input":"Say yes","expected":"yes"}\n{"input":"Say no","expected":"no"}\n',
  )
  // Answers "yes", and fails where the variable says so.
  writeFileSync(
    join(folder, 'model.ts'),
    `import type { Model } from 'agentkit'
    export const model: Model = {
      id: 'test/yes',
      async *stream() {
        if (process.env.OFFLINE) throw new Error('It is called.')
        console.log('called')
        if (process.env.STUCK) await new Promise(() => setInterval(() => {}, 1_000))
        yield { type: 'finish', reason: 'stop', usage: {}, message: { role: 'assistant', content: [{ type: 'text', text: 'yes' }] } }
      },
    }`,
  )
  evalFile('yes.ts', '')
  evalFile('taped.ts', `cassette: { file: 'taped.cassette', mode: 'replay' },`)
  writeFileSync(join(folder, 'none.ts'), 'export const agent = 7')
  writeFileSync(
    join(folder, 'keyless.ts'),
    `import { Agent } from 'agentkit'
    import { exact } from '@agentkit/evals'
    const agent = new Agent({ name: 'Keyless', functions: [], model: 'openai/gpt-5.4-mini' })
    export default { agent, cases: [{ input: 'Hi', expected: 'Hi' }], scorers: [exact()], cassette: process.env.TAPE && { file: process.env.TAPE } }`,
  )
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

function evalFile(name: string, more: string): void {
  writeFileSync(
    join(folder, name),
    `import { Agent } from 'agentkit'
    import { exact } from '@agentkit/evals'
    import { model } from './model.ts'
    const agent = new Agent({ name: 'Clerk', functions: [], model, retry: { attempts: 1 } })
    await agent.run() // serves nothing here
    export default { name: '${name.replace('.ts', '')}', agent, cases: 'cases.jsonl', scorers: [exact()], ${more} }`,
  )
}

type Outcome = { code: number; out: string; error: string }

async function agentkit(words: readonly string[], variables: Record<string, string> = {}): Promise<Outcome> {
  const { OPENAI_API_KEY: _, LLMPROVIDER_API_KEY: __, ...environment } = builtEnvironment()
  const options = { cwd: folder, env: { ...environment, ...variables } }
  const arguments_ = [cliFile, 'eval', ...words]
  try {
    const { stdout, stderr } = await promisify(execFile)(process.execPath, arguments_, options)
    return { code: 0, out: stdout, error: stderr }
  } catch (error) {
    const { code, stdout, stderr } = error as { code: number; stdout: string; stderr: string } // what `execFile` throws
    return { code, out: stdout, error: stderr }
  }
}

describe('agentkit eval', patiently, () => {
  it('prints a table, writes JUnit and HTML, and exits with 1 as a case fails', async () => {
    const { code, out, error } = await agentkit(['yes.ts', '--junit', 'out/junit.xml', '--html', 'out/report.html'])
    expect(code).toBe(1)
    expect(out).toContain('clerk    exact   0.500  0.095 to 0.905  2')
    expect(out).toContain('clerk, case 2: exact 0.000: expected no')
    // What the file and its tools print is beside the report.
    expect(out).not.toContain('called')
    expect(error).toContain('called')
    expect(readFileSync(join(folder, 'out/junit.xml'), 'utf8')).toContain('tests="2" failures="1" errors="0"')
    expect(readFileSync(join(folder, 'out/report.html'), 'utf8')).toContain('<title>Eval: yes</title>')
    expect(existsSync(join(folder, 'agentkit-data/evals/yes/report.json'))).toBe(true)
  })

  it('prints its table, and writes the other files where one cannot be written', async () => {
    writeFileSync(join(folder, 'a-file'), '')
    const words = ['yes.ts', '--junit', 'a-file/junit.xml', '--html', 'out/beside.html', '--fail-under', 'exact=0.1']
    const { code, out, error } = await agentkit(words)
    expect(code).toBe(1)
    expect(out).toContain('clerk    exact   0.500')
    expect(error).toContain('a-file/junit.xml cannot be written: ')
    expect(existsSync(join(folder, 'out/beside.html'))).toBe(true)
  })

  it('aligns its table by the width that the terminal shows for wide and escaped names', async () => {
    evalFile('wide.ts', `agent: undefined, variants: { '日本語': agent, 'a\\u001b[0m': agent },`)
    const { out } = await agentkit(['wide.ts'])
    expect(out).toMatch(/^variant {5}scorer .*\n日本語 {6}exact .*\na\\u001b\[0m {2}exact /)
  })

  it('continues with stored results, and repeats them with --fresh', async () => {
    expect((await agentkit(['yes.ts'], { OFFLINE: '1' })).out).toContain('0.500')
    expect((await agentkit(['yes.ts', '--fresh'], { OFFLINE: '1' })).out).toContain('2 cases, 2 failed runs')
  })

  it('prints JSON alone, and exits by the means of --fail-under', async () => {
    const good = await agentkit(['yes.ts', '--fresh', '--json', '--fail-under', 'exact=0.5'])
    expect(good.code).toBe(0)
    expect(JSON.parse(good.out)).toMatchObject({ variants: { clerk: { scores: { exact: { mean: 0.5 } } } } })
    evalFile('hostile.ts', `cases: [{ id: 'a\\u202e', input: 'Hi', expected: '\\u009b2J' }],`)
    const { out } = await agentkit(['hostile.ts', '--json'])
    expect(out).not.toMatch(/(?!\n)[\p{Cc}\p{Bidi_Control}]/u)
    expect(JSON.parse(out).results).toMatchObject([{ case: 'a\u202e' }])
    evalFile(
      'tenths.ts',
      `cases: [...Array(10)].map(() => ({ input: 'Hi' })), scorers: [{ name: 'a', score: () => 0.1 }],`,
    )
    expect((await agentkit(['tenths.ts', '--fail-under', 'a=0.1'])).error).not.toContain('asks for')
    const missed = await agentkit(['yes.ts', '--fail-under', 'exact=0.6'])
    expect(missed.code).toBe(1)
    expect(missed.error).toContain('clerk: exact has a mean of 0.500, and --fail-under asks for 0.6.')
  })

  it.each([
    [['yes.ts', '--fresh'], 'Results so far are kept: the same command continues.'],
    [['taped.ts', '--record'], 'With a cassette the same command begins again; an earlier recording is kept.'],
  ])('%j is stopped by Ctrl-C, and prints no failure of a run twice', async (words, next) => {
    const { OPENAI_API_KEY: _, ...environment } = builtEnvironment()
    const arguments_ = [cliFile, 'eval', ...words]
    const child = spawn(process.execPath, arguments_, { cwd: folder, env: { ...environment, STUCK: '1' } })
    let [out, error] = ['', '']
    child.stdout.on('data', (text) => (out += text))
    child.stderr.on('data', (text) => {
      error += text
      // Once: a second Ctrl-C ends it at once.
      if (error.includes('called') && !child.killed) child.kill('SIGINT')
    })
    expect(await once(child, 'close')).toEqual([130, null])
    expect(out).toBe('')
    expect(error.replaceAll('called\n', '')).toBe(`Stopped. ${next}\n`)
    const failed = await agentkit(['yes.ts', '--fresh'], { OFFLINE: '1' })
    expect(failed.error).toBe('')
  })

  it('records with --record, and replays without', async () => {
    const early = await agentkit(['taped.ts'], { OFFLINE: '1' })
    expect(early).toMatchObject({ code: 1, error: expect.stringContaining('There is no cassette taped.cassette.') })
    expect(existsSync(join(folder, 'taped.cassette'))).toBe(false)
    const recorded = await agentkit(['taped.ts', '--record', '--json', '--fail-under', 'exact=0.5'])
    expect(recorded.code).toBe(0)
    const replayed = await agentkit(['taped.ts', '--json', '--fail-under', 'exact=0.5'], { OFFLINE: '1' })
    expect(replayed).toMatchObject({ code: 0, out: recorded.out })
  })

  it('needs no key in a replay, and reports a missing one once otherwise', async () => {
    const called = await agentkit(['keyless.ts'])
    expect(called).toMatchObject({ code: 1, out: '' })
    expect(called.error).toContain('The model "openai/gpt-5.4-mini" needs a key. Set ')
    const replayed = await agentkit(['keyless.ts'], { TAPE: 'taped.cassette' })
    expect(replayed.out).toContain('The cassette taped.cassette has no call of "openai/gpt-5.4-mini"')
  })

  it.each<[string[], string]>([
    [[], "missing required argument 'file'"],
    [['cases.jsonl'], '"cases.jsonl" is not TypeScript or JavaScript. Pass a file whose default export is the options'],
    [['package.json'], '"package.json" is not TypeScript or JavaScript.'],
    [['yse.ts'], 'There is no file "yse.ts". Did you mean "yes.ts"?'],
    [['ad'], 'There is no command "ad". Did you mean "add"?'],
    [['none.ts'], '"none.ts" has no eval. Its default export is the options'],
    [['yes.ts', '--record'], '--record needs a file: add cassette:'],
    [['yes.ts', '--fail-under', 'exact'], '--fail-under is a scorer and its least mean'],
    [['yes.ts', '--fail-under', 'exact='], '--fail-under is a scorer and its least mean'],
    [['yes.ts', '--fail-under', 'exact=90'], '--fail-under is a scorer and its least mean'],
    [['yes.ts', '--fail-under', 'exat=1'], 'The eval has no scorer "exat". Did you mean "exact"?'],
    [['yes.ts', '--jsn'], "unknown option '--jsn'"],
    [['add', 'run_1', '--to', 'cases.csv'], '--to is a .jsonl file of cases, not "cases.csv".'],
  ])('exits with 2 for %j', async (words, message) => {
    const { code, error } = await agentkit(words)
    expect(error).toContain(message)
    expect(code).toBe(2)
  })
})

describe('agentkit eval add', patiently, () => {
  it('makes a case of a stored run, with the conversation before it', async () => {
    const path = join(folder, 'sessions.db')
    const sessions = sqliteSessions(path)
    const agent = new Agent({ name: 'Clerk', functions: [], model: scriptedModel(['One.', 'Two.']), sessions })
    await agent.stream('First? My key: sk-proj-0123456789', { sessionId: 's' }).result
    const { runId } = await agent.stream('Second?', { sessionId: 's' }).result
    const failed = await agent.stream('Third?', { sessionId: 's' }).result
    await sessions.close()

    writeFileSync(join(folder, 'grown.jsonl'), '{"input":"a","expected":"b"}')
    const words = ['add', runId, '--to', 'grown.jsonl', '--sessions', path]
    expect(await agentkit(words)).toMatchObject({ code: 0, out: expect.stringContaining(`Added the run ${runId}`) })
    const [, line = ''] = readFileSync(join(folder, 'grown.jsonl'), 'utf8').trimEnd().split('\n')
    expect(JSON.parse(line)).toMatchObject({
      id: runId,
      input: 'Second?',
      expected: 'Two.',
      history: [
        { role: 'user', content: 'First? My key: [redacted]' },
        { role: 'assistant', content: [{ type: 'text', text: 'One.' }] },
      ],
    })
    expect(await agentkit(words)).toMatchObject({ code: 1, error: expect.stringContaining('has the run') })
    const first = ['add', runId, '--to', join('new', 'evals', 'first.jsonl'), '--sessions', path]
    expect(await agentkit(first)).toMatchObject({ code: 0 })
    const unanswered = await agentkit(['add', failed.runId, '--to', 'grown.jsonl', '--sessions', path])
    expect(unanswered).toMatchObject({ code: 0, out: expect.stringContaining('It has no answer: add what is') })
    const unknown = await agentkit(['add', 'run_none', '--to', 'grown.jsonl', '--sessions', path])
    expect(unknown).toMatchObject({ code: 1, error: expect.stringContaining('There is no run "run_none"') })
    const waitingSessions = sqliteSessions(path)
    const waiting = new Agent({ name: 'Clerk', functions: [], model: scriptedModel([]), sessions: waitingSessions })
    const queued = await waiting.enqueue('Later?', { sessionId: 's' })
    await waitingSessions.close()
    const early = await agentkit(['add', queued.runId, '--to', 'grown.jsonl', '--sessions', path])
    expect(early).toMatchObject({
      code: 1,
      error: `The run "${queued.runId}" is queued: it has no messages yet. Add it once it has ended.\n`,
    })
    mkdirSync(join(folder, 'folder.jsonl'))
    const unwritable = await agentkit(['add', runId, '--to', 'folder.jsonl', '--sessions', path])
    expect(unwritable).toMatchObject({ code: 1, error: 'folder.jsonl cannot be written: EISDIR.\n' })
  })

  it('takes the last 1,000 turns before a run of a long session', async () => {
    const path = join(folder, 'long.db')
    const sessions = sqliteSessions(path)
    const key = { agentId: 'clerk', userId: 'default', sessionId: 's' }
    for (let turn = 1; turn <= 1_001; turn++) {
      const input: Message[] = [{ v: 1, role: 'user', content: `Question ${turn}` }]
      const expectedVersion = (await sessions.load(key, { from: turn * 2 }))?.version ?? 0
      await sessions.begin(key, { runId: `run_${turn}`, expectedVersion, input })
      await sessions.append(`run_${turn}`, [{ v: 1, role: 'assistant', content: [{ type: 'text', text: `${turn}` }] }])
      await sessions.end(`run_${turn}`, 'done')
    }
    const agent = new Agent({ name: 'Clerk', functions: [], model: scriptedModel(['Last.']), sessions })
    const { runId } = await agent.stream('Last?', { sessionId: 's' }).result
    await sessions.close()
    expect(await agentkit(['add', runId, '--to', 'long.jsonl', '--sessions', path])).toMatchObject({ code: 0 })
    const { history } = JSON.parse(readFileSync(join(folder, 'long.jsonl'), 'utf8'))
    expect(history).toHaveLength(2_000)
    expect(history.at(0)).toMatchObject({ content: 'Question 2' })
    expect(history.at(-1)).toMatchObject({ content: [{ text: '1001' }] })
  })
})

it('an eval leaves no run that waits for approval', async () => {
  const pay = tool({
    name: 'pay',
    description: 'Pays.',
    input: { type: 'object' },
    needsApproval: true,
    execute: () => 'paid',
  })
  const sessions = sqliteSessions(join(folder, 'approvals.db'))
  const agent = new Agent({
    name: 'Payer',
    functions: [pay],
    model: scriptedModel([{ toolCalls: [{ name: 'pay' }] }]),
    sessions,
  })
  const { results } = await evaluate({
    agent,
    cases: [{ input: 'Pay' }],
    scorers: [exact()],
    out: join(folder, 'approvals'),
  })
  expect(results[0]?.error).toMatchObject({ code: 'approval' })
  expect(await agent.runs({ status: 'waiting' })).toEqual([])
  await agent.close()
  await sessions.close()
})
