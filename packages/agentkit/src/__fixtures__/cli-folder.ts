import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { buildPackages, builtEnvironment } from '@agentkit/test-build'
import { afterAll, beforeAll } from 'vitest'
import { keyVariables } from '../models/providers.ts'

/** The command, as users have it: `buildPackages` builds it, without which a test would run an older one. */
export const cliFile = join(import.meta.dirname, '../../dist/cli.js')
export const cliCommand = [process.execPath, cliFile]

export type Ended = { code: number | null; out: string; error: string }
export type Call = { env?: Record<string, string>; input?: string; cwd?: string; onStart?(child: ChildProcess): void }

/** A project of a user for the tests of a file: commands run in it as processes of their own, without keys. */
export function cliFolder(): {
  folder: string
  write(file: string, text: string): string
  agentkit(words: readonly string[], call?: Call): Promise<Ended>
} {
  beforeAll(buildPackages)
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'agentkit-cli-')))
  afterAll(() => rmSync(folder, { recursive: true, force: true }))
  const write = (file: string, text: string): string => {
    mkdirSync(dirname(join(folder, file)), { recursive: true })
    writeFileSync(join(folder, file), text)
    return join(folder, file)
  }
  write('package.json', '{ "type": "module" }')
  write('tsconfig.json', '{ "compilerOptions": { "lib": ["es2024"], "types": [], "module": "nodenext" } }')
  mkdirSync(join(folder, 'node_modules/@agentkit'), { recursive: true })
  symlinkSync(join(import.meta.dirname, '../..'), join(folder, 'node_modules/agentkit'), 'dir')
  for (const name of ['testing', 'core']) {
    symlinkSync(join(import.meta.dirname, '../../..', name), join(folder, 'node_modules/@agentkit', name), 'dir')
  }
  const agentkit = async (words: readonly string[], call: Call = {}): Promise<Ended> => {
    const [program = '', ...rest] = cliCommand
    const child = spawn(program, [...rest, ...words], {
      cwd: call.cwd ?? folder,
      env: { ...plainEnvironment(), ...call.env },
    })
    let out = ''
    let error = ''
    child.stdout.setEncoding('utf8').on('data', (chunk) => (out += chunk))
    child.stderr.setEncoding('utf8').on('data', (chunk) => (error += chunk))
    // A command that reads nothing may have ended before.
    child.stdin.on('error', () => {})
    child.stdin.end(call.input ?? '')
    call.onStart?.(child)
    const [code] = await once(child, 'close')
    return { code, out: out.trimEnd(), error: error.trimEnd() }
  }
  return { folder, write, agentkit }
}

/** The environment of the command, without keys of providers, so that no test reaches one. */
export function plainEnvironment(): NodeJS.ProcessEnv {
  const removed = ['OPENAI_BASE_URL', 'NODE_ENV', 'NO_COLOR', 'FORCE_COLOR', ...Object.values(keyVariables).flat()]
  return Object.fromEntries(Object.entries(builtEnvironment()).filter(([name]) => !removed.includes(name)))
}
