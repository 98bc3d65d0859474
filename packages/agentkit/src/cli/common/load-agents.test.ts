import { execFile } from 'node:child_process'
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { buildPackages, builtEnvironment } from '@agentkit/test-build'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { cliFile } from '../../__fixtures__/cli-folder.ts'

// Each command is a process of its own, as it changes what `run()` does in its process.
const agents = `import { Agent, Swarm, workflow } from 'agentkit'
const model = 'offline/extractive'
const sessions = ':memory:'
/**
 * Adds.
 * @param a One.
 */
export function add(a: number): number { return a + 1 }
export const writer = new Agent({ name: 'Writer', functions: [add], model, sessions })
export const team = new Swarm({ name: 'Team', agents: [writer], model, sessions })
export const notAnAgent = { id: 'x' }
const served = new Agent({ name: 'Served', functions: [], model, sessions })
const { url } = await served.run({ port: 1 })
console.log('served at', JSON.stringify(url))
setInterval(() => {}, 1000)
`

let folder: string
beforeAll(buildPackages)
beforeAll(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), 'agentkit-load-')))
  write('package.json', '{ "type": "module" }')
  write('tsconfig.json', '{ "compilerOptions": { "lib": ["es2024"], "types": [], "module": "nodenext" } }')
  mkdirSync(join(folder, 'node_modules'))
  symlinkSync(join(import.meta.dirname, '../../..'), join(folder, 'node_modules/agentkit'), 'dir')
  write('agents.ts', agents)
  write('empty.ts', 'export const nothing = 1\n')
  write('package.toml', '[defaults]\n')
  write(
    'twice.ts',
    "import { Agent } from 'agentkit'\nconst one = () => new Agent({ name: 'A', functions: [], model: 'offline/extractive' })\nexport const [a, b] = [one(), one()]\n",
  )
  write('fails.ts', "throw new Error('This file is broken.')\n")
  mkdirSync(join(folder, 'bare'))
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

describe('the agents of a file', () => {
  it('are its exports that are agents or swarms, and those on which it calls run(), which serves nothing', async () => {
    const { code, error } = await agentkit('runs', 'list', 'agents.ts', '--agent', 'nobody')
    expect(error).toBe('served at ""\n"agents.ts" has no agent "nobody". It has team, writer, served.')
    expect(code).toBe(2)
  })

  it('end their process, even if the file has timers', async () => {
    const { code, error } = await agentkit('runs', 'list', 'agents.ts', '--agent', 'writr')
    expect({ code, error }).toEqual({ code: 2, error: expect.stringContaining('Did you mean "writer"?') })
  })

  it.each([
    ['has two tables', '[writer]\n[Writer]\n', 'both belong to one agent. Merge the two tables.'],
    ['makes no id', '["2nd"]\n', 'The name "2nd" makes the id "2nd"'],
  ])('are those of the configuration, where another one %s', async (_, tables, problem) => {
    const config = join('bare', 'agentkit_config.toml')
    write(config, `[defaults]\nmodel = "offline/extractive"\n[clerk]\n${tables}`)
    const run = (id: string) => agentkitIn('bare', 'run', 'Hello', '--agent', id)
    expect(await run('clerk')).toMatchObject({ code: 0, error: '' })
    expect(await run(/\w+/.exec(tables)?.[0] ?? '')).toMatchObject({ code: 1, error: expect.stringContaining(problem) })
    rmSync(join(folder, config))
  })

  it('need a store that outlives the process', async () => {
    const { code, error } = await agentkit('runs', 'list', 'agents.ts')
    expect(error).toContain('Background runs need sessions on disk or Postgres, and these are in :memory:.')
    expect(code).toBe(2)
  })

  it.each([
    ['a file that is missing', ['runs', 'list', 'agnts.ts'], 'There is no file "agnts.ts". Did you mean "agents.ts"?'],
    ['a folder', ['worker', 'bare'], '"bare" is a folder. Pass a file that exports agents.'],
    ['a file that is not code', ['worker', 'package.toml'], '"package.toml" is not TypeScript or JavaScript.'],
    ['a file without agents', ['worker', 'empty.ts'], '"empty.ts" has no agent. Export one'],
    ['two agents of one id', ['worker', 'twice.ts'], '"twice.ts" has two agents with the id "a".'],
    ['a misspelt command', ['runs', 'lst'], 'There is no command "lst". Did you mean "list"?'],
    ['a misspelt command of schedules', ['runs', 'schedules', 'remov'], 'Did you mean "remove"?'],
    ['a store that is missing', ['runs', 'list', '--sessions', 'agents.db'], 'There is no file "agents.db".'],
    ['no file and no store', ['queue', 'counts'], 'There is no "agentkit-data'],
    ['no file for a worker', ['worker'], 'Pass the file that exports your agents.'],
    ['a file and a store', ['runs', 'list', 'agents.ts', '--sessions', 'x.db'], 'Pass a file or --sessions, not both.'],
    [
      '0 runs at once',
      ['worker', 'agents.ts', '--concurrency', '0'],
      '--concurrency is a whole number from 1 to 1,000, not "0".',
    ],
    ['-1 runs at once', ['worker', 'agents.ts', '--concurrency=-1'], 'from 1 to 1,000, not "-1".'],
    ['1e9 runs at once', ['worker', 'agents.ts', '--concurrency', '1e9'], 'from 1 to 1,000, not "1e9".'],
    ['an unknown status', ['runs', 'list', '--status', 'don'], 'Did you mean "done"?'],
    ['an unknown index', ['index', '--tool', 'localstor'], 'Did you mean "localstore"?'],
    ['an unknown extension', ['index', '--ext', 'pdff'], 'Did you mean ".pdf"?'],
    ['a missing configuration', ['index', '--config', 'x.toml'], 'There is no file "x.toml".'],
    ['a missing folder', ['index', '--folder', 'bar'], 'There is no folder "bar". Did you mean "bare"?'],
    ['no number of passages', ['index', 'search', 'x', '--limit', 'many'], '--limit is a whole number'],
    ['a missing cassette', ['cassette', 'agents.json'], 'There is no cassette "agents.json".'],
    ['a missing recording', ['replay', 'x.json', 'node', 'app.ts'], 'There is no cassette "x.json".'],
    ['a missing file of functions', ['tools', 'build', 'agnts.ts'], 'Did you mean "agents.ts"?'],
    ['a missing module of tools', ['tools', 'check', '--out', 'agnts.ts'], 'Did you mean "agents.ts"?'],
    ['x runs at once', ['worker', 'agents.ts', '--concurrency', 'x'], 'from 1 to 1,000, not "x".'],
  ])('refuses %s, with 2', async (_, words, problem) => {
    const { code, error } = await agentkit(...words)
    expect(error).toContain(problem)
    expect(code).toBe(2)
  })

  it('fail as their file does', async () => {
    const { code, error } = await agentkit('worker', 'fails.ts')
    expect(error).toContain('This file is broken.')
    expect(code).toBe(1)
  })
})

function write(file: string, text: string): void {
  mkdirSync(dirname(join(folder, file)), { recursive: true })
  writeFileSync(join(folder, file), text)
}

type Ended = { code: number; out: string; error: string }

function agentkit(...words: string[]): Promise<Ended> {
  return agentkitIn('', ...words)
}

async function agentkitIn(place: string, ...words: string[]): Promise<Ended> {
  const options = { cwd: join(folder, place), env: builtEnvironment() }
  try {
    const { stdout, stderr } = await promisify(execFile)(process.execPath, [cliFile, ...words], options)
    return { code: 0, out: stdout.trim(), error: stderr.trim() }
  } catch (error) {
    const { code, stdout, stderr } = error as { code: number; stdout: string; stderr: string } // what `execFile` throws
    return { code, out: stdout.trim(), error: stderr.trim() }
  }
}
