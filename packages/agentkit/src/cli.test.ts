import { execFile } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { promisify } from 'node:util'
import { buildPackages, builtEnvironment } from '@agentkit/test-build'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { cliFile } from './__fixtures__/cli-folder.ts'
import { commands } from './cli/program.ts'

/** Prints the address of each module that is loaded. */
const listModules = `--conditions=@agentkit/source --import=${pathToFileURL(join(import.meta.dirname, '__fixtures__/list-modules.mjs'))}`

const add = `/**
 * Adds.
 * @param a One.
 */
export function add(a: number): number {
  return a + 1
}
`

let folder: string
beforeAll(buildPackages)
beforeAll(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), 'agentkit-cli-')))
  write('package.json', '{ "type": "module" }')
  write('agentkit_config.toml', '[mcp.github]\ncommand = "github-mcp"\n')
  // The types of the DOM and of Node would take most of the compiler's time.
  write('tsconfig.json', '{ "compilerOptions": { "lib": ["es2024"], "types": [], "module": "nodenext" } }')
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

describe('agentkit', () => {
  it.each(['-v', '--version'])('prints its version by %s', async (flag) => {
    const { version } = JSON.parse(readFileSync(join(import.meta.dirname, '../package.json'), 'utf8'))
    expect(await agentkit(flag)).toEqual({ code: 0, out: version, error: '' })
  })

  it('lists its commands', async () => {
    const { code, out } = await agentkit('--help')
    expect(code).toBe(0)
    expect(out).toMatch(/tools {2,}compiles typed functions to tools/)
  })

  it.each(['', ...commands.map(({ name }) => name), 'completion'])(
    'loads nothing for `%s --help` but its words',
    async (verb) => {
      // Of the sources: a file of the build has modules of several commands, and with them what these import.
      const words = [join(import.meta.dirname, 'cli.ts'), verb, '--help'].filter(Boolean)
      const { out, error } = await node({ NODE_OPTIONS: listModules }, words)
      expect(out).toContain(`Usage: agentkit${verb === '' ? '' : ` ${verb}`}`)
      const packages = [...error.matchAll(/^(?!node:).*\/(?:packages|node_modules)\/((?:@[^/]+\/)?[^/]+)\//gm)].map(
        ([, name]) => name,
      )
      const used = new Set(packages)
      expect(used.has('commander')).toBe(true)
      // The program itself, and the one file of core that commands print by.
      for (const name of ['agentkit', 'commander', ...(verb === '' ? [] : ['core'])]) used.delete(name)
      expect([...used]).toEqual([])
    },
  )

  it.skipIf(!existsSync('/dev/full'))('says that its output cannot be written, without a stack', async () => {
    const words = [`"${process.execPath}" "${cliFile}" completion bash > /dev/full`]
    const ended = await promisify(execFile)('sh', ['-c', ...words]).catch((error: unknown) => error)
    expect(ended).toMatchObject({ code: 1, stderr: 'The output cannot be written: ENOSPC.\n' })
  })

  it.skipIf(!existsSync('/dev/full'))('ends with its own exit code where no warning can be written', async () => {
    const words = `"${process.execPath}" "${cliFile}" toolz 2> /dev/full`
    await expect(promisify(execFile)('sh', ['-c', words])).rejects.toMatchObject({ code: 2 })
  })

  it('names the Node that is needed, on an older one', async () => {
    write('old-node.mjs', "Object.defineProperty(process.versions, 'node', { value: '20.20.2' })\n")
    const env = { NODE_OPTIONS: `--import=${pathToFileURL(join(folder, 'old-node.mjs'))}` }
    const { code, out, error } = await agentkitIn(env, ['index', 'status'])
    expect({ code, out }).toEqual({ code: 1, out: '' })
    expect(error).toBe(
      'agentkit needs Node.js 22.18 or later, and this is 20.20.2. Install a newer one: https://nodejs.org',
    )
  })

  it.each([
    ['index', 'status'],
    ['doctor', '--offline'],
    ['docs', 'auth'],
  ])('names the Node that is needed, on one that links none of its commands: %s %s', async (...words) => {
    write(
      'node-18.mjs',
      `Object.defineProperty(process.versions, 'node', { value: '18.20.8' })
      delete Array.prototype.toReversed
      delete process.getBuiltinModule\n`,
    )
    const env = { NODE_OPTIONS: `--import=${pathToFileURL(join(folder, 'node-18.mjs'))}` }
    expect(await agentkitIn(env, words)).toEqual({
      code: 1,
      out: '',
      error: 'agentkit needs Node.js 22.18 or later, and this is 18.20.8. Install a newer one: https://nodejs.org',
    })
  })

  it.each([
    { words: ['runs', 'agents.ts', '--help'], usage: 'Usage: agentkit runs [options]' },
    { words: ['tools', 'build', 'a', '-h'], usage: 'Usage: agentkit tools build' },
    { words: ['docs', 'aprovals', '--help'], usage: 'Usage: agentkit docs' },
    { words: ['help', 'runs'], usage: 'Usage: agentkit runs [options] [command]' },
    { words: ['help', 'runs', 'list'], usage: 'Usage: agentkit runs list' },
    { words: ['help', 'tools', 'pins', 'accept'], usage: 'Usage: agentkit tools pins accept' },
  ])('shows the help for $words', async ({ words, usage }) => {
    const { code, out } = await agentkit(...words)
    expect(code).toBe(0)
    expect(out).toContain(usage)
  })

  it.each([
    ['an unknown command', ['toolz'], "unknown command 'toolz'\n(Did you mean tools?)"],
    ['no pattern', ['tools', 'build'], "missing required argument 'patterns'"],
    ['an unknown option', ['tools', 'check', '--strickt'], "unknown option '--strickt'"],
    [
      'a question like an option',
      ['run', '-5 degrees?'],
      'option \'-5 degrees?\'\n(Put a text that begins with "-" after --.)',
    ],
    [
      'an option of an app before its file',
      ['dev', '--port', '8001'],
      "unknown option '--port'\n(Options of the app follow its file: agentkit dev app.ts --port 8001. Or set `port`",
    ],
    ['the verb of another tool', ['serve'], "unknown command 'serve'\n(Did you mean dev?)"],
    ['one whose letters are those of another command', ['create'], "unknown command 'create'\n(Did you mean init?)"],
    [
      'the option of another tool',
      ['run', 'Hi', '--thread', 'a'],
      "unknown option '--thread'\n(Did you mean --session?)",
    ],
    [
      'an option that is like no other',
      ['run', 'Hi', '--model', 'a'],
      "'--model'\n(Its options are --agent, --user, --session, --json, --stream.)",
    ],
    [
      'a command that is like no other',
      ['sessions'],
      "unknown command 'sessions'\n(Its commands are init, dev, run, chat,",
    ],
    ['an unknown command of one that works alone', ['index', 'serch', 'x'], '(Did you mean search?)'],
    [
      'one with an option of the command that is meant',
      ['eval', 'ad', 'run_1', '--to', 'a.jsonl'],
      'Did you mean add?',
    ],
    ['one of a default command, with an option', ['runs', 'shwo', 'run_1', '--to', 'a'], '(Did you mean show?)'],
    ['the help of an unknown command', ['help', 'rnu'], "error: unknown command 'rnu'\n(Did you mean run?)"],
    ['the help of an unknown command of runs', ['help', 'runs', 'lst'], 'Did you mean "list"?'],
    ['the option for help of an unknown command', ['rnu', '--help'], "unknown command 'rnu'\n(Did you mean run?)"],
    ['help before an unknown command', ['-h', 'rnu'], "unknown command 'rnu'\n(Did you mean run?)"],
    ['the option for help of an unknown command of runs', ['runs', 'lst', '--help'], 'Did you mean "list"?'],
    ['the option for help of an unknown command of tools', ['tools', 'pins', 'acept', '-h'], '(Did you mean accept?)'],
    ['an unknown server to pin', ['tools', 'pins', 'accept', 'githb'], 'Did you mean "github"?'],
    ['a missing folder of skills', ['tools', 'pins', 'skills', 'sorc'], 'There is no folder "sorc".'],
  ])('refuses %s', async (_, words, problem) => {
    const { code, error } = await agentkit(...words)
    expect(code).toBe(2)
    expect(error).toContain(problem)
  })
})

describe('agentkit tools', () => {
  it('builds a manifest, and checks it until a function changes', async () => {
    write('src/add.ts', add)
    expect(await agentkit('tools', 'build', 'src/**/*.ts')).toEqual({
      code: 0,
      out: 'src/agentkit-tools.ts: 1 tool.',
      error: '',
    })
    expect(await agentkit('tools', 'check')).toEqual({
      code: 0,
      out: 'src/agentkit-tools.ts is up to date: 1 tool.',
      error: '',
    })
    write('src/add.ts', add.replace('Adds.', 'Adds one.'))
    expect(await agentkit('tools', 'check')).toEqual({
      code: 1,
      out: '',
      error: [
        'src/agentkit-tools.ts is out of date:',
        '  changed: add of ./add.js',
        "run: agentkit tools build 'src/**/*.ts'",
      ].join('\n'),
    })
  })

  it('reports a function that cannot be a tool, and writes nothing', async () => {
    write('bad/a.ts', 'export function wait(done: () => void): void {\n  done()\n}\n')
    write('bad/b.ts', `${add}export const find = (key: symbol): void => {}\n`)
    const { code, out, error } = await agentkit('tools', 'build', 'bad')
    expect({ code, out }).toEqual({ code: 1, out: '' })
    const [first, second, ...rest] = error.split('\n')
    expect(first).toMatch(/^bad\/a\.ts:1: wait cannot be a tool: /)
    expect(second).toMatch(/^bad\/b\.ts:8: find cannot be a tool: /)
    expect(rest).toEqual([
      'A function that is not a tool: do not export it, tag it @internal, or leave its file out of the pattern.',
      'Nothing was written.',
    ])
    expect(existsSync(join(folder, 'bad/agentkit-tools.ts'))).toBe(false)
  })

  it('prints warnings, which are errors under --strict', async () => {
    write('bare/one.ts', 'export function one(): number {\n  return 1\n}\n')
    const strict = await agentkit('tools', 'build', 'bare', '--strict')
    expect(strict).toMatchObject({
      code: 1,
      error: expect.stringMatching(/^bare\/one\.ts:1: one has no description.*\nNothing/),
    })
    const lenient = await agentkit('tools', 'build', 'bare')
    expect(lenient).toMatchObject({
      code: 0,
      error: expect.stringMatching(/^warning: bare\/one\.ts:1: one has no desc/),
    })
    expect(await agentkit('tools', 'check', '--out', 'bare/agentkit-tools.ts', '--strict')).toMatchObject({
      code: 1,
      error: expect.stringMatching(/^bare\/one\.ts:1: .*\nbare\/agentkit-tools\.ts cannot be built\.$/),
    })
  })

  it('accepts the files that a shell expands a pattern to, and explains the difference', async () => {
    write('shell/a.ts', add)
    write('shell/b.ts', add)
    const { code, out } = await agentkit('tools', 'build', 'shell/a.ts', 'shell/b.ts', '--out', 'shell/tools.ts')
    expect(code).toBe(0)
    expect(out).toMatch(/^shell\/tools\.ts: 2 tools\.\n.*Quote a pattern/)
    expect(await agentkit('tools', 'build', "'shell/**/*.ts'")).toMatchObject({
      out: 'shell/agentkit-tools.ts: 2 tools.',
    })
  })

  it('prints its own errors without a stack', async () => {
    const { code, error } = await agentkit('tools', 'build', 'lib/**/*.ts')
    expect(code).toBe(1)
    expect(error).toMatch(/^No TypeScript or JavaScript file is found by 'lib\/\*\*\/\*\.ts' in .*\.$/)
  })
})

function write(file: string, text: string): void {
  mkdirSync(dirname(join(folder, file)), { recursive: true })
  writeFileSync(join(folder, file), text)
}

function agentkit(...words: string[]): Promise<{ code: number; out: string; error: string }> {
  return agentkitIn({}, words)
}

function agentkitIn(env: Record<string, string>, words: string[]): ReturnType<typeof node> {
  return node(env, [cliFile, ...words])
}

async function node(
  env: Record<string, string>,
  words: string[],
): Promise<{ code: number; out: string; error: string }> {
  const run = promisify(execFile)(process.execPath, words, {
    cwd: folder,
    env: { ...builtEnvironment(), ...env },
  })
  const ended = await run.then(
    (output) => ({ code: 0, ...output }),
    // A failed process has its exit code and its output in the error.
    (error: { code: number; stdout: string; stderr: string }) => error,
  )
  return { code: ended.code, out: ended.stdout.trim(), error: ended.stderr.trim() }
}
