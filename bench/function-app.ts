import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { buildManifest } from '@agentkit/functions/manifest'
import type { Measured } from './worker.ts'

/** How the tools of an app get their schemas: `first` and `second` are starts under `register`. */
export type AppKind = 'by-hand' | 'manifest' | 'first' | 'second'

const files = Array.from({ length: 20 }, (_, file) => `tools${file}`)
const numbers = [0, 1, 2, 3, 4]

/** An app whose agent has 100 tools, in 20 files. */
export function createApp(kind: AppKind): { start(): Promise<Measured>; remove(): void } {
  const folder = mkdtempSync(join(tmpdir(), 'agentkit-bench-'))
  mkdirSync(join(folder, 'node_modules'))
  symlinkSync(join(import.meta.dirname, 'node_modules/@agentkit'), join(folder, 'node_modules/@agentkit'), 'dir')
  writeFileSync(join(folder, 'package.json'), '{"type":"module","dependencies":{"@agentkit/functions":"*"}}')
  for (const file of files) writeFileSync(join(folder, `${file}.ts`), kind === 'by-hand' ? byHand(file) : plain(file))
  writeFileSync(join(folder, 'app.ts'), app(kind === 'manifest'))
  if (kind === 'manifest') buildManifest({ patterns: ['tools*.ts'], cwd: folder })
  const register = `--import=${import.meta.resolve('@agentkit/functions/register')}`
  const flags = kind === 'first' || kind === 'second' ? [register] : []
  return {
    async start() {
      if (kind === 'first') rmSync(join(folder, 'node_modules/.cache'), { recursive: true, force: true })
      return measure([...flags, join(folder, 'app.ts')], folder)
    },
    remove: () => rmSync(folder, { recursive: true, force: true }),
  }
}

async function measure(args: string[], cwd: string): Promise<Measured> {
  const startedAt = performance.now()
  const child = spawn(process.execPath, args, { cwd, stdio: ['ignore', 'pipe', 'inherit'] })
  const exit = once(child, 'exit')
  let printed = ''
  for await (const chunk of child.stdout) printed += chunk
  const [code] = await exit
  if (code !== 0) throw new Error(`The app of 100 tools ended with ${code}.`)
  // The last line of the app.
  const { cpuMs, peakMb } = JSON.parse(printed) as Pick<Measured, 'cpuMs' | 'peakMb'>
  return { units: 1, cpuMs, wallMs: performance.now() - startedAt, peakMb }
}

function app(withManifest: boolean): string {
  const imports = files.map((file) => `import * as ${file} from './${file}.ts'`)
  return `${withManifest ? "import './agentkit-tools.ts'\n" : ''}import { Agent } from '@agentkit/core'
${imports.join('\n')}
const model = { id: 'none/none', async *stream() {} }
new Agent({ name: 'Bench', model, functions: [${files.map((file) => `...Object.values(${file})`).join(', ')}] })
process.once('exit', () => {
  const { user, system } = process.cpuUsage()
  console.log(JSON.stringify({ cpuMs: (user + system) / 1000, peakMb: process.resourceUsage().maxRSS / 1024 }))
})
`
}

function plain(file: string): string {
  const one = (number: number): string => `
/**
 * Finds orders of kind ${number} by words.
 * @param words What to look for.
 * @param filter Which orders to look at.
 * @param limit How many to give.
 */
export function ${file}Find${number}(words: string, filter?: Filter, limit = ${number}) {
  return [words, filter, limit]
}
`
  return `interface Filter {
  /** Its status. */
  status?: 'open' | 'sent' | 'lost'
  since?: Date
  customer?: { id: string; tags: string[] }
}
${numbers.map(one).join('')}`
}

function byHand(file: string): string {
  const customer = `{
          type: 'object',
          properties: { id: { type: 'string' }, tags: { type: 'array', items: { type: 'string' } } },
          required: ['id', 'tags'],
          additionalProperties: false,
        }`
  const one = (number: number): string => `
export const ${file}Find${number} = tool({
  name: '${file}Find${number}',
  description: 'Finds orders of kind ${number} by words.',
  input: {
    type: 'object',
    properties: {
      words: { type: 'string', description: 'What to look for.' },
      filter: {
        type: 'object',
        properties: {
          status: { type: 'string', enum: ['open', 'sent', 'lost'], description: 'Its status.' },
          since: { type: 'string', format: 'date-time' },
          customer: ${customer},
        },
        additionalProperties: false,
        description: 'Which orders to look at.',
      },
      limit: { type: 'number', default: ${number}, description: 'How many to give.' },
    },
    required: ['words'],
    additionalProperties: false,
  },
  execute: ({ words, filter, limit }) => [words, filter, limit],
})
`
  return `import { tool } from '@agentkit/core'\n${numbers.map(one).join('')}`
}
