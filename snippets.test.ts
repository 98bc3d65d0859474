import { type ChildProcess, execFile, spawn } from 'node:child_process'
import {
  cpSync,
  existsSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Published, packPackages, plainEnvironment, published, tarballOf } from './scripts/pack-packages.ts'
import { root } from './scripts/workspace-files.ts'

// The snippets of README and the guides as a newcomer pastes them: each in the project that `npm init -y` makes, on the
// packed packages, with models that a server in this process answers for. Those of the tutorial, of deployments and of
// scripted models have tests beside them.

type Needs = {
  /** Files that the guide shows or names. */
  files?: Record<string, string>
  /** Snippets of the same guide that are run before. */
  after?: string[]
  env?: Record<string, string>
  /** What a program prints that does not end by itself. */
  until?: string
}

const anyPort = { 'agentkit_config.toml': '[server]\nport = 0\n' }
const needs: Record<string, Needs> = {
  'changing-key.ts': { files: { 'openai-key.txt': 'key-of-a-file\n' } },
  'context.ts': { files: { 'agentkit_config.toml': '[research]\ninstruction = "You find facts."\n' } },
  'record-replay.ts': { env: { RECORD: '1' } },
  'report-queue.ts': { until: '40 runs are stored.' },
  'retriever.ts': { files: { 'handbook/rules/leave.md': '# Leave\n\nThere are 30 days of holiday.\n' } },
  'scoped.ts': { until: 'http://127.0.0.1:' },
  'session-list.ts': { after: ['sessions.ts'] },
  'skills.ts': {
    files: { 'skills/house-style/SKILL.md': '---\nname: house-style\ndescription: How we write.\n---\nBriefly.' },
  },
  'start.ts': { files: anyPort, until: 'listens on' },
  'use-chat.ts': { files: anyPort, until: 'listens on' },
}

const guides = ['README.md', ...globSync('docs/guides/*.md', { cwd: root })]
const snippets = new Set(
  guides.flatMap((guide) =>
    [...readFileSync(join(root, guide), 'utf8').matchAll(/^```ts docs\/examples\/([\w-]+\.ts)$/gm)].map(
      ([, name = '']) => name,
    ),
  ),
)

describe('the snippets of README and the guides', () => {
  let place: string
  let models: Server
  const running = new Set<ChildProcess>()

  beforeAll(async () => {
    place = mkdtempSync(join(tmpdir(), 'agentkit-snippets-'))
    await packPackages(place)
    models = createServer((request, response) => {
      let body = ''
      request.setEncoding('utf8')
      request.on('data', (chunk: string) => {
        body += chunk
      })
      request.on('end', () => response.end(answerTo(request.url ?? '', body)))
    })
    await new Promise<void>((resolve) => models.listen(0, '127.0.0.1', resolve))
    await npm('init', '-y')
    await Promise.all(published().map(unpack))
    linkAll(join(root, 'docs/examples/node_modules'), join(place, 'node_modules'))
    linkAll(join(root, 'packages/telemetry/node_modules'), join(place, 'node_modules'))
  }, 900_000)

  afterAll(async () => {
    for (const child of running) child.kill('SIGKILL')
    await new Promise((resolve) => models.close(resolve))
    rmSync(place, { recursive: true, force: true })
  })

  it('are found', () => {
    expect([...snippets]).toEqual(expect.arrayContaining(['start.ts', ...Object.keys(needs)]))
  })

  it.each([...snippets].sort())('%s runs as pasted', async (name) => {
    const folder = mkdtempSync(join(place, 'app-'))
    cpSync(join(place, 'package.json'), join(folder, 'package.json'))
    symlinkSync(join(place, 'node_modules'), join(folder, 'node_modules'), 'junction')
    const { files = {}, after = [], env = {}, until } = needs[name] ?? {}
    for (const [path, text] of Object.entries(files)) {
      mkdirSync(dirname(join(folder, path)), { recursive: true })
      writeFileSync(join(folder, path), text)
    }
    for (const program of [...after, name]) {
      const { code, output } = await runSnippet(folder, program, env, program === name ? until : undefined)
      expect(output).not.toMatch(/agentkit: run \S+ failed/)
      expect(code, output).toBe(0)
    }
  })

  /** @returns code 0 for a program that has printed what it should and does not end */
  async function runSnippet(
    folder: string,
    name: string,
    env: Record<string, string>,
    until?: string,
  ): Promise<{ code: number | null; output: string }> {
    const imported = [name, ...namesImportedBy(name)]
    for (const one of imported) writeFileSync(join(folder, one), readSnippet(one).replace('port: 8000', 'port: 0'))
    const program = spawn(process.execPath, ['--import', 'agentkit/register', name], {
      cwd: folder,
      env: { ...environment(), ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    running.add(program)
    let output = ''
    return new Promise((resolve) => {
      const read = (chunk: Buffer): void => {
        output += chunk.toString()
        if (until === undefined || !output.includes(until)) return
        program.kill('SIGKILL')
        resolve({ code: 0, output })
      }
      program.stdout.on('data', read)
      program.stderr.on('data', read)
      program.on('close', (code) => {
        running.delete(program)
        resolve({ code, output })
      })
    })
  }

  function environment(): NodeJS.ProcessEnv {
    const address = `http://127.0.0.1:${(models.address() as AddressInfo).port}` // it listens on a port
    const others = Object.entries(plainEnvironment()).filter(([name]) => !/_API_KEY$|^OTEL_/.test(name))
    return {
      ...Object.fromEntries(others),
      ...{ OPENAI_API_KEY: 'none', OPENAI_BASE_URL: `${address}/v1` },
      ...{ ANTHROPIC_API_KEY: 'none', ANTHROPIC_BASE_URL: address, GEMINI_API_KEY: 'none' },
      OTEL_EXPORTER_OTLP_ENDPOINT: address,
    }
  }

  async function npm(...args: string[]): Promise<void> {
    // npm is a .cmd file on Windows.
    await promisify(execFile)('npm', args, { cwd: place, env: plainEnvironment(), shell: process.platform === 'win32' })
  }

  /** Installed without npm, which `packaging.test.ts` tries: its own packages are ours, the others those of the workspace. */
  async function unpack({ folder, manifest }: Published): Promise<void> {
    const own = join(place, 'node_modules', manifest.name)
    mkdirSync(own, { recursive: true })
    await promisify(execFile)('tar', ['-xzf', join(place, tarballOf(manifest.name)), '-C', own, '--strip-components=1'])
    linkAll(join(root, folder, 'node_modules'), join(own, 'node_modules'))
  }
})

/** Links what is installed in a folder of the workspace, but our own packages. */
function linkAll(from: string, to: string): void {
  const names = globSync('{[!@.]*,@*/*}', { cwd: from }).map((name) => name.replaceAll('\\', '/'))
  for (const name of names) {
    if (/^(@agentkit\/.*|agentkit)$/.test(name) || existsSync(join(to, name))) continue
    mkdirSync(dirname(join(to, name)), { recursive: true })
    symlinkSync(realpathSync(join(from, name)), join(to, name), 'junction')
  }
}

function readSnippet(name: string): string {
  return readFileSync(join(root, 'docs/examples', name), 'utf8')
}

function namesImportedBy(name: string): string[] {
  return [...readSnippet(name).matchAll(/from '\.\/([\w-]+\.ts)'/g)].map(([, imported = '']) => imported)
}

/** The answer of a model, streamed as Chat Completions or as Anthropic does it; nothing for what exporters send. */
function answerTo(path: string, body: string): string {
  if (path.includes('/v1/traces') || path.includes('/v1/metrics')) return ''
  const { response_format: format } = JSON.parse(body)
  const text = format === undefined ? 'It is fine.' : JSON.stringify(exampleOf(format.json_schema.schema))
  if (path.includes('/messages')) return anthropicAnswer(text)
  const choice = (delta: object, finish_reason: string | null) => ({ choices: [{ index: 0, delta, finish_reason }] })
  const usage = { choices: [], usage: { prompt_tokens: 10, completion_tokens: 4, total_tokens: 14 } }
  const events = [choice({ role: 'assistant', content: text }, null), choice({}, 'stop'), usage]
  return `${events.map((event) => `data: ${JSON.stringify({ id: 'c', ...event })}\n\n`).join('')}data: [DONE]\n\n`
}

function anthropicAnswer(text: string): string {
  const usage = { input_tokens: 10, output_tokens: 1 }
  const events = [
    { type: 'message_start', message: { id: 'm', role: 'assistant', content: [], model: 'm', usage } },
    { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
    { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text } },
    { type: 'content_block_stop', index: 0 },
    { type: 'message_delta', delta: { stop_reason: 'end_turn' }, usage: { output_tokens: 4 } },
    { type: 'message_stop' },
  ]
  return events.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`).join('')
}

type Schema = {
  type?: string
  enum?: unknown[]
  anyOf?: Schema[]
  properties?: Record<string, Schema>
  items?: Schema
  format?: string
}

/** A value of this schema. */
function exampleOf({ type, enum: words, anyOf, properties = {}, items = {}, format }: Schema): unknown {
  if (words) return words[0]
  if (anyOf) return exampleOf(anyOf[0] ?? {})
  if (type === 'object') {
    return Object.fromEntries(Object.entries(properties).map(([name, schema]) => [name, exampleOf(schema)]))
  }
  if (type === 'array') return [exampleOf(items)]
  if (type === 'number' || type === 'integer') return 1
  if (type === 'boolean') return true
  return format === 'email' ? 'ada@example.com' : 'text'
}
