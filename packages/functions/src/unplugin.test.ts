import { execFile } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { type ToolFunction, toolOfFunction } from '@agentkit/core'
import { build, context } from 'esbuild'
import { createServer } from 'vite'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { type Bundler, bundlers } from './__fixtures__/unplugin/bundlers.ts'
import { type AgentkitToolsOptions, agentkitTools } from './unplugin.ts'

const fixtures = fileURLToPath(new URL('__fixtures__/unplugin/', import.meta.url))
const here = relative(process.cwd(), fixtures).replaceAll('\\', '/')
const everyBundler = Object.entries(bundlers).map(([name, bundle]) => ({ name, bundle }))

const folders: string[] = []
afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true })
})

describe.each(everyBundler)('a bundle by $name', ({ bundle }) => {
  it('has the tools that the sources have, and runs where no package is installed', async () => {
    const folder = emptyFolder()
    const warnings = await bundle({
      entry: `${fixtures}app/main.ts`,
      folder,
      tools: { include: `${here}/app/tools/*` },
    })
    expect(warnings).toEqual([])
    expect(filesThatName(fixtures, folder)).toEqual([])

    const { tools, refusals, stack } = await reportedBy(['main.mjs'], folder)
    expect(tools).toEqual(expectedTools)
    expect(refusals).toEqual([expectedRefusal])
    // The source map leads to the line that throws.
    expect(stack).toContain(`tools/counter.mts:${lineOf('app/tools/counter.mts', 'There is nobody to greet')}:`)
  })

  it('is not made while an exported function cannot be a tool: each is named, with the fix', async () => {
    const failure = await failureOf(bundle, 'broken/no-tools.ts', {})
    expect(failure).toContain(`${here}/broken/no-tools.ts:5: wait cannot be a tool: parameter "done" (() => void)`)
    expect(failure).toContain(`${here}/broken/no-tools.ts:13: count cannot be a tool: parameter "votes"`)
    expect(failure).toContain('Record<string, …>')
    expect(failure).not.toContain('register cannot')
  })

  it('warns of undocumented functions, and fails in strict mode', async () => {
    const entry = `${fixtures}broken/undocumented.ts`
    const warnings = await bundle({ entry, folder: emptyFolder(), tools: { include: entry } })
    const warning = `${here}/broken/undocumented.ts:2: silent does not say what "times" is.`
    expect(warnings).toEqual([expect.stringContaining(warning)])
    expect(await failureOf(bundle, 'broken/undocumented.ts', { strict: true })).toContain(warning)
  })
})

it('register gives the same tools in development', async () => {
  const source = ['--conditions=@agentkit/source', '--import', import.meta.resolve('./register.ts')]
  const { tools, refusals } = await reportedBy([...source, join(fixtures, 'app/main.ts')], process.cwd())
  expect(tools).toEqual(expectedTools)
  expect(refusals).toEqual([expectedRefusal])
})

const amount = { type: 'number', minimum: 0.01, description: 'At least one cent.' }
const currency = { type: 'string', enum: ['EUR', 'USD'] }
const expectedTools = [
  {
    name: 'findOrders',
    description: 'Finds the orders of a customer.\n\nReturns: The orders, one per line.',
    inputSchema: {
      type: 'object',
      properties: {
        customerId: { type: 'string', description: "The customer's number." },
        since: { type: 'string', format: 'date-time', description: 'The first day to look at.' },
        currency: { ...currency, description: 'Only orders in this currency.', default: 'EUR' },
      },
      required: ['customerId', 'since'],
      additionalProperties: false,
    },
    result: 'c1 since 2024 in EUR',
  },
  {
    name: 'refund',
    description: 'Pays an order back.',
    inputSchema: {
      type: 'object',
      properties: {
        orderId: { type: 'string', description: "The order's number." },
        money: {
          type: 'object',
          properties: { amount, currency },
          required: ['amount', 'currency'],
          additionalProperties: false,
          description: 'How much.',
        },
      },
      required: ['orderId', 'money'],
      additionalProperties: false,
    },
    result: 'o1: 1250 cents',
  },
  {
    name: 'greet',
    description: 'Greets somebody.',
    inputSchema: {
      type: 'object',
      properties: { name: { type: 'string', description: 'Whom to greet.' } },
      required: ['name'],
      additionalProperties: false,
    },
    result: 'Hello, Ada!',
  },
  {
    name: 'add',
    description: 'Adds to the total.\n\nReturns: The new total.',
    inputSchema: {
      type: 'object',
      properties: { amount: { type: 'number', description: 'How much to add.' } },
      required: ['amount'],
      additionalProperties: false,
    },
    result: 42,
  },
]

const expectedRefusal = {
  code: 'invalid-argument',
  message: expect.stringMatching(/^\S+\/app\/tools\/orders\.ts:21: cents cannot be a tool: .*"round"/),
}

it('makes the same text each time', async () => {
  const tools = { include: `${here}/app/tools/*` }
  const text = await esbuildText('app/tools/orders.ts', tools)
  expect(text).toContain('Pays an order back.')
  expect(await esbuildText('app/tools/orders.ts', tools)).toBe(text)
})

describe('which files', () => {
  it.each([
    { patterns: 'are named', tools: { include: `${here}/app/tools/orders.ts` } },
    { patterns: 'begin with ./', tools: { include: `./${here}/app/tools/*` } },
    { patterns: 'lead up', tools: { include: [`../${basename(process.cwd())}/${here}/app/tools/*.ts`] } },
    { patterns: 'are several', tools: { include: ['nowhere/*', `${here}/**`] } },
  ])('patterns that $patterns include', async ({ tools }) => {
    expect(await esbuildText('app/tools/orders.ts', tools)).toContain('Finds the orders of a customer.\\n')
  })

  it.each([
    { files: 'that are excluded', tools: { include: `${here}/**`, exclude: `${here}/app/**/orders.ts` } },
    { files: 'that are not included', tools: { include: `${here}/*.ts` } },
  ])('files $files stay as they are', async ({ tools }) => {
    const plain = await esbuildText('app/tools/orders.ts', { include: 'nowhere' })
    expect(await esbuildText('app/tools/orders.ts', tools)).toBe(plain)
  })

  it('does not change modules that are no source files of the project: its text by ?raw, styles, virtual modules, packages', async () => {
    const folder = emptyFolder()
    const text = 'export function f() {}'
    writeFileSync(join(folder, 'a.js'), text)
    writeFileSync(join(folder, 'a.css'), 'a {}')
    mkdirSync(join(folder, 'node_modules/noted'), { recursive: true })
    writeFileSync(join(folder, 'node_modules/noted/index.js'), 'export function noTool(undescribed) {}')
    writeFileSync(
      join(folder, 'main.js'),
      'export { default as raw } from "./a.js?raw"; import "./a.css"; export { f } from "virtual:f.js"; export { noTool } from "noted"',
    )
    const { plugins, ssr, ...options } = viteOptions(folder, { include: '**' })
    const virtual = { name: 'virtual', resolveId: (id: string) => (id === 'virtual:f.js' ? `\0${id}` : null) }
    const load = (id: string) => (id === '\0virtual:f.js' ? text : null)
    const server = await createServer({
      ...options,
      // Otherwise packages are left to Node.
      ssr: { ...ssr, noExternal: true },
      plugins: [...plugins, { ...virtual, load }],
    })
    const { raw, f, noTool } = await server.ssrLoadModule('/main.js').finally(() => server.close())
    expect(raw).toBe(text)
    expect([f[toolOfFunction], noTool[toolOfFunction]]).toEqual([undefined, undefined])
  })

  it.each([{}, { include: [] }, undefined])('must be chosen explicitly (%o)', (tools) => {
    expect(() => agentkitTools.vite(tools as AgentkitToolsOptions)).toThrow("Give it include: 'src/tools/**/*.ts'")
  })
})

it('leaves to esbuild how it reads a file', async () => {
  const folder = emptyFolder()
  const source = '/** @param a What. */ export function f(a) { return <a href={a} /> }'
  writeFileSync(join(folder, 'typed.tsx'), source.replace('(a)', '(a: string)'))
  writeFileSync(join(folder, 'plain.js'), source.replace('What', '{string} What'))
  const { outputFiles } = await build({
    entryPoints: [join(folder, 'typed.tsx'), join(folder, 'plain.js')],
    outdir: folder,
    write: false,
    logLevel: 'silent',
    loader: { '.js': 'jsx' },
    plugins: [agentkitTools.esbuild({ include: `${folder}/*` })],
  })
  for (const text of outputFiles.map((file) => file.text)) {
    expect(text).toContain('"a": { "type": "string", "description": "What." }')
    expect(text).toContain('createElement("a"')
  }
  expect(outputFiles).toHaveLength(2)
})

describe('while files change', () => {
  const tools = (folder: string): AgentkitToolsOptions => ({ include: `${folder}/tools/*` })

  it('Vite serves the schema of the types as they are now', async () => {
    const folder = copyOfApp()
    const server = await createServer(viteOptions(folder, tools(folder)))
    try {
      expect(await currenciesOf(server.ssrLoadModule('/tools/orders.ts'))).toEqual(['EUR', 'USD'])
      writeFileSync(join(folder, 'types.ts'), typesWith('GBP'))
      await vi.waitFor(
        async () => expect(await currenciesOf(server.ssrLoadModule('/tools/orders.ts'))).toEqual(['GBP', 'USD']),
        { timeout: 60_000 },
      )
    } finally {
      await server.close()
    }
  })

  it('esbuild builds again with the types as they are now', async () => {
    const folder = copyOfApp()
    const outfile = join(folder, 'orders.mjs')
    const building = await context({
      entryPoints: [join(folder, 'tools/orders.ts')],
      outfile,
      bundle: true,
      format: 'esm',
      platform: 'node',
      conditions: ['@agentkit/source'],
      external: ['zod', 'zod-to-json-schema', '@valibot/to-json-schema'],
      plugins: [agentkitTools.esbuild(tools(folder))],
    })
    try {
      for (const currency of ['EUR', 'GBP', 'JPY']) {
        writeFileSync(join(folder, 'types.ts'), typesWith(currency))
        await building.rebuild()
        expect(await currenciesOf(import(`${outfile}?${currency}`))).toEqual([currency, 'USD'])
      }
    } finally {
      await building.dispose()
    }
  })
})

it('makes tools in tests that Vitest runs', async () => {
  const vitest = fileURLToPath(import.meta.resolve('vitest/package.json')).replace('package.json', 'vitest.mjs')
  const run = promisify(execFile)(process.execPath, [vitest, 'run', '--reporter=verbose'], {
    cwd: join(fixtures, 'vitest'),
  })
  expect((await run).stdout).toContain('has tools in tests')
})

/** The output of the app in a separate process. */
async function reportedBy(parameters: string[], cwd: string) {
  const run = promisify(execFile)(process.execPath, ['--enable-source-maps', ...parameters], {
    cwd,
    env: { NODE_OPTIONS: '' },
  })
  return JSON.parse((await run).stdout)
}

/** The files that contain an absolute path. A source map refers to sources relative to the bundle. */
function filesThatName(path: string, folder: string): string[] {
  const files = readdirSync(folder, { withFileTypes: true }).filter((entry) => entry.isFile())
  return files
    .map(({ name }) => name)
    .filter((name) => readFileSync(join(folder, name), 'utf8').replaceAll(`..${path}`, '').includes(path))
}

function lineOf(fixture: string, text: string): number {
  const lines = readFileSync(join(fixtures, fixture), 'utf8').split('\n')
  return lines.findIndex((line) => line.includes(text)) + 1
}

async function failureOf(bundle: Bundler, fixture: string, more: Partial<AgentkitToolsOptions>): Promise<string> {
  const entry = join(fixtures, fixture)
  const folder = emptyFolder()
  const failure = await bundle({ entry, folder, tools: { include: entry, ...more } }).then(
    () => undefined,
    (error: Error) => error.message,
  )
  expect(readdirSync(folder)).toEqual([])
  return failure ?? 'none'
}

async function esbuildText(fixture: string, tools: AgentkitToolsOptions): Promise<string> {
  const { outputFiles } = await build({
    entryPoints: [join(fixtures, fixture)],
    write: false,
    plugins: [agentkitTools.esbuild(tools)],
  })
  return outputFiles[0]?.text ?? ''
}

function viteOptions(root: string, tools: AgentkitToolsOptions) {
  return {
    configFile: false as const,
    root,
    logLevel: 'silent' as const,
    server: { middlewareMode: true, ws: false as const },
    appType: 'custom' as const,
    optimizeDeps: { noDiscovery: true },
    ssr: { resolve: { conditions: ['@agentkit/source'] } },
    plugins: [agentkitTools.vite(tools)],
  }
}

function copyOfApp(): string {
  const folder = emptyFolder()
  cpSync(join(fixtures, 'app'), folder, { recursive: true })
  return folder
}

function emptyFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'agentkit-unplugin-'))
  folders.push(folder)
  return folder
}

function typesWith(currency: string): string {
  return readFileSync(join(fixtures, 'app/types.ts'), 'utf8').replace("'EUR'", `'${currency}'`)
}

async function currenciesOf(loading: Promise<Record<string, unknown>>): Promise<unknown> {
  const { refund } = (await loading) as { refund: ToolFunction }
  const [, list = ''] = /"currency":\{"type":"string","enum":(.*?\])/.exec(JSON.stringify(refund[toolOfFunction])) ?? []
  return JSON.parse(list)
}
