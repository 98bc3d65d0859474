import { execFile, spawnSync } from 'node:child_process'
import { mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { errorCodes } from './packages/core/src/data/error-codes.ts'
import { helpOf } from './packages/core/src/data/help.ts'
import { loopbackRegistry } from './scripts/loopback-registry.ts'
import { brokenReferences, linksOf } from './scripts/markdown-links.ts'
import { packPackages, plainEnvironment, published, tarballOf } from './scripts/pack-packages.ts'
import { root } from './scripts/workspace-files.ts'

// The packages as users get them: packed, and installed by npm into folders outside the workspace.

const run = promisify(execFile)
type Messages = { errors: unknown[]; warnings: { text: string }[] }
type ESBuild = { transform(code: string): Promise<Messages>; build(options: object): Promise<Messages> }
const loadBundler = createRequire(join(root, 'packages/functions/package.json'))
const { build, transform }: ESBuild = loadBundler('esbuild')
type Webpack = (options: object, done: (error: Error | null) => void) => void
const webpack: Webpack = loadBundler('webpack')
const packages = published()
let place: string

beforeAll(async () => {
  place = await mkdtemp(join(tmpdir(), 'agentkit-packaging-'))
  await packPackages(place)
}, 600_000)

afterAll(() => rm(place, { recursive: true, force: true }))

describe('every tarball', () => {
  it.each(packages)('of $folder has its licence, README, types and sources, and no tests', async ({ manifest }) => {
    const { stdout } = await run('tar', ['-tzf', tarballOf(manifest.name)], { cwd: place })
    const files = stdout.split('\n').map((line) => line.trim().replace('package/', ''))
    expect(files).toEqual(
      expect.arrayContaining(['LICENSE', 'README.md', 'dist/index.js', 'dist/index.d.ts', 'src/index.ts']),
    )
    expect(files.filter((file) => /\.test\.|__fixtures__|tsbuildinfo|node_modules/.test(file))).toEqual([])
  })
})

describe('the built code', () => {
  const codeOf = async (folder: string): Promise<string[]> => {
    const dist = join(root, folder, 'dist')
    const files = (await readdir(dist, { recursive: true })).filter((file) => file.endsWith('.js'))
    return await Promise.all(files.map((file) => readFile(join(dist, file), 'utf8')))
  }

  it.each(packages)('of $folder gives esbuild nothing to warn of, as its users would read', async ({ folder }) => {
    const warnings = (await codeOf(folder)).map(async (code) => (await transform(code)).warnings)
    expect((await Promise.all(warnings)).flat().map(({ text }) => text)).toEqual([])
  })

  it.each(packages)('of $folder has no `require` that webpack would remove', async ({ folder }) => {
    expect((await codeOf(folder)).filter((code) => /\b__require\(/.test(code))).toEqual([])
  })
})

describe('the guides in the tarball of agentkit', () => {
  it('are complete: llms.txt names them, and their links lead to each other', async () => {
    const folder = await mkdtemp(join(place, 'guides'))
    await run('tar', ['-xzf', join(place, tarballOf('agentkit')), '-C', folder, 'package/docs'])
    const docs = join(folder, 'package/docs')
    const files = new Set(await readdir(docs, { recursive: true }))
    const pages = [...files].filter((path) => /\.(?:md|txt)$/.test(path))
    const texts = new Map(
      await Promise.all(pages.map(async (path) => [path, await readFile(join(docs, path), 'utf8')] as const)),
    )
    // The code of the examples is in the pages.
    const exists = (path: string) => files.has(path) || path.startsWith('docs/examples/')
    expect(brokenReferences({ texts, exists })).toEqual([])
    expect(linksOf(texts.get('llms.txt') ?? '')).toEqual(expect.arrayContaining(['index.md', 'guides/tools.md']))
  })
})

describe('@agentkit/core and @agentkit/providers-openai alone', () => {
  let folder: string
  beforeAll(async () => {
    folder = await install('scoped', ['@agentkit/core', '@agentkit/wire', '@agentkit/providers-openai'])
  }, 600_000)

  it('are at most 6 packages, none with an install script', async () => {
    const installed = Object.entries(await installedPackages(folder))
    expect(installed.map(([path]) => path).length).toBeLessThanOrEqual(6)
    expect(installed.filter(([, { hasInstallScript }]) => hasInstallScript).map(([path]) => path)).toEqual([])
  })

  it('load and create an agent on plain Node', async () => {
    const program = `
      import { Agent, tool } from '@agentkit/core'
      import { openai } from '@agentkit/providers-openai'
      const model = openai({ apiKey: 'none' }).model('gpt-5')
      const agent = new Agent({ name: 'Clerk', functions: [], model })
      console.log(agent.id, model.id, typeof tool)`
    expect(await runProgram(folder, program)).toBe('clerk openai/gpt-5 function')
  })

  it('are typed, also with `skipLibCheck: false`, and without the types of browsers', async () => {
    const program = `
      import { Agent, type AgentEvent, type Model, tool } from '@agentkit/core'
      import { openai } from '@agentkit/providers-openai'
      const model: Model = openai({ apiKey: 'none' }).model('gpt-5')
      const add = tool({
        name: 'add',
        description: 'Adds.',
        input: { type: 'object', properties: { a: { type: 'number' } } },
        execute: () => 1,
      })
      export const agent: Agent = new Agent({ name: 'Clerk', functions: [add], model })
      export async function read(): Promise<AgentEvent[]> {
        const events: AgentEvent[] = []
        for await (const event of agent.stream('Hello')) events.push(event)
        return events
      }`
    expect(await typeErrors(folder, program)).toBe('')
    expect(await typeErrors(folder, program, { lib: ['es2024'] })).toBe('')
  })

  it('are typed where later types of Node give the classes of the web more members', async () => {
    const names = ['AbortSignal', 'Blob', 'Headers', 'Request', 'Response']
    const program = `
      import '@agentkit/core'
      import '@agentkit/providers-openai'
      import '@agentkit/wire'
      declare global { ${names.map((name) => `interface ${name} { laterMember(): void }`).join('\n')} }`
    expect(await typeErrors(folder, program, { lib: ['es2024'] })).toBe('')
  })
})

describe('the other packages, without agentkit', () => {
  const names = packages
    .map(({ manifest }) => manifest.name)
    .filter((name) => name.includes('/providers-') && name !== '@agentkit/providers-offline')
  const others = ['ai-sdk', 'evals', 'mcp', 'queue-postgres', 'retriever', 'testing'].map((name) => `@agentkit/${name}`)
  let folder: string
  beforeAll(async () => {
    folder = await install('packages', ['@agentkit/core', '@agentkit/wire', ...names, ...others])
    await writeFile(join(folder, 'notes.md'), '# Notes\n\nThe moon is a harsh mistress.\n')
    await writeFile(join(folder, 'prices.csv'), 'item,price\npen,3\n')
  }, 600_000)

  it('need no install script: that of protobufjs, a dependency of Gemini’s SDK, is not run here', async () => {
    const installed = Object.entries(await installedPackages(folder))
    const scripts = installed.filter(([, { hasInstallScript }]) => hasInstallScript).map(([path]) => path)
    expect(scripts.filter((path) => !path.endsWith('node_modules/protobufjs'))).toEqual([])
  })

  it('bring none of their optional peers', async () => {
    const installed = Object.keys(await installedPackages(folder))
    expect(installed.filter((path) => /\/(?:ai|@ai-sdk\/.*|@lancedb\/.*|@pinecone-database\/.*)$/.test(path))).toEqual(
      [],
    )
  })

  it.each(names)('%s creates a model on plain Node before its SDK is loaded', async (name) => {
    const factory = name.replace('@agentkit/providers-', '')
    const program = `
      import { registerHooks } from 'node:module'
      const loaded = []
      registerHooks({ resolve: (specifier, context, next) => (loaded.push(specifier), next(specifier, context)) })
      const { ${factory} } = await import('${name}')
      const options = ${JSON.stringify(factory === 'azure' ? { endpoint: 'http://127.0.0.1:1', apiKey: 'none' } : { apiKey: 'none' })}
      console.log(${factory}(options).model('some-model').id, loaded.filter((one) => /^(?!node:|@agentkit|[./])/.test(one)).join())`
    expect(await runProgram(folder, program)).toBe(`${factory}/some-model`)
  })

  it('are typed, also with `skipLibCheck: false`', async () => {
    const factories = names.map((name) => name.replace('@agentkit/providers-', ''))
    const program = `
      import { Agent, type Citation, type Model, type Runnable, type RunQueue } from '@agentkit/core'
      import { type AISDKModel, fromAISDK, toAISDK } from '@agentkit/ai-sdk'
      import { type EvalReport, evaluate, judge, type Scorer } from '@agentkit/evals'
      import { postgresQueue } from '@agentkit/queue-postgres'
      import { createRetriever, type Hit, isUnreadableFile } from '@agentkit/retriever'
      ${factories.map((factory) => `export { ${factory} } from '@agentkit/providers-${factory}'`).join('\n')}

      export const queue: RunQueue = postgresQueue({ connectionString: 'postgres://127.0.0.1:1/none' })

      export function agentOf(model: AISDKModel): Agent {
        const own: Model = fromAISDK(model)
        return new Agent({ name: 'Clerk', functions: [], model: own })
      }
      export const provider: string = toAISDK(agentOf({} as AISDKModel), { userId: 'ada' }).provider

      const brief: Scorer = { name: 'brief', score: ({ result }) => result.text.length < 9 }
      export function run(agent: Runnable, model: Model): Promise<EvalReport> {
        return evaluate({ agent, cases: 'cases.jsonl', scorers: [brief, judge({ model, rubric: 'Brief.' })] })
      }

      const retriever = createRetriever({ folder: 'docs' })
      export const agent = new Agent({
        name: 'Clerk',
        functions: [],
        model: { id: 'own/one', async *stream() {} },
        knowledge: retriever,
      })
      export const hits: Promise<Hit[]> = retriever.search('moon', { limit: 3 })
      export const cited: Promise<Citation[]> = hits
      export const isEncrypted = (error: unknown): boolean => isUnreadableFile(error) && error.status === 'encrypted'`
    // The types of some SDKs have errors of their own.
    const ours = (await typeErrors(folder, program)).split('\n').filter((line) => /agentkit|typed\.ts/.test(line))
    expect(ours).toEqual([])
  })

  it('queue-postgres loads on plain Node, and connects to nothing before the first call', async () => {
    const program = `
      import { postgresQueue } from '@agentkit/queue-postgres'
      const queue = postgresQueue('postgres://127.0.0.1:1/none')
      await queue.close()
      console.log(Object.keys(queue).length)`
    expect(await runProgram(folder, program)).toBe('11')
  })

  it('ai-sdk loads on plain Node, without a package of the AI SDK', async () => {
    const program = `
      import { Agent } from '@agentkit/core'
      import { fromAISDK, toAISDK } from '@agentkit/ai-sdk'
      const model = fromAISDK({ specificationVersion: 'v3', provider: 'own', modelId: 'one', doStream() {} })
      const agent = new Agent({ name: 'Clerk', functions: [], model })
      console.log(model.id, toAISDK(agent).modelId)`
    expect(await runProgram(folder, program)).toBe('own/one clerk')
  })

  it('evals runs an eval on plain Node', async () => {
    const program = `
      import { Agent } from '@agentkit/core'
      import { evaluate, exact } from '@agentkit/evals'
      import { scriptedModel } from '@agentkit/testing'
      const agent = new Agent({ name: 'Clerk', functions: [], model: scriptedModel(['Oslo']) })
      const report = await evaluate({ agent, cases: [{ input: 'Where?', expected: 'Oslo' }], scorers: [exact()] })
      console.log(report.variants.clerk.scores.exact.mean)`
    expect(await runProgram(folder, program)).toBe('1')
  })

  it('retriever indexes, searches and quotes on plain Node, with their own workers', async () => {
    const program = `
      import { createRetriever, extractFile } from '@agentkit/retriever'
      const retriever = createRetriever({ folder: '.', requiredExts: ['.md', '.csv'] })
      const { indexed } = await retriever.sync()
      const [hit] = await retriever.search('moon', { paths: ['notes.md'] })
      const { text } = await extractFile(hit.file)
      console.log(indexed > 1, hit.heading, text.slice(hit.start, hit.end) === hit.quote)
      await retriever.close()`
    expect(await runProgram(folder, program)).toBe('true Notes true')
  })

  it('mcp is bundled into one file', async () => {
    await writeFile(join(folder, 'bundled-mcp.js'), `import { mcp } from '@agentkit/mcp'\nconsole.log(typeof mcp)`)
    const outfile = join(await mkdtemp(join(place, 'one-file-')), 'bundled.cjs')
    const options = { bundle: true, platform: 'node', format: 'cjs', logLevel: 'silent' }
    await build({ absWorkingDir: folder, entryPoints: ['bundled-mcp.js'], outfile, ...options })
    expect(await node([outfile])).toBe('function')
  })

  it('retriever is bundled without what is optional, and says that its processes need its own files', async () => {
    await writeFile(
      join(folder, 'bundled.js'),
      `import { createRetriever } from '@agentkit/retriever'
      const retriever = createRetriever({ folder: '.', requiredExts: ['.md'] })
      console.log(await retriever.sync().catch(({ code, message }) => code + ' ' + message))
      await retriever.close()`,
    )
    const alone = await mkdtemp(join(place, 'one-file-'))
    const { errors, warnings } = await build({
      absWorkingDir: folder,
      entryPoints: ['bundled.js'],
      outfile: join(alone, 'bundled.mjs'),
      ...{ bundle: true, platform: 'node', format: 'esm', logLevel: 'silent' },
    })
    expect([...errors, ...warnings]).toEqual([])
    await writeFile(join(alone, 'notes.md'), '# Notes')
    const refused = /^unsupported .* leave @agentkit\/retriever in node_modules/
    expect(await node(['bundled.mjs'], alone)).toMatch(refused)
    // Another process writes many bytes.
    await writeFile(join(alone, 'book.md'), '# A book\n'.repeat(1_000_000))
    expect(await node(['bundled.mjs'], alone)).toMatch(refused)
  })

  it('retriever loads parsers and index stores lazily', async () => {
    const program = `
      import { registerHooks } from 'node:module'
      const loaded = []
      registerHooks({ resolve: (specifier, context, next) => (loaded.push(specifier), next(specifier, context)) })
      const { createRetriever } = await import('@agentkit/retriever')
      createRetriever({ folder: '.', retrievalTool: 'localstore' })
      // A relative one is a file of the package, whose own code is small.
      const packages = loaded.filter((one) => !one.startsWith('.'))
      console.log(packages.filter((one) => /unpdf|mammoth|papaparse|lancedb|pinecone|sqlite/.test(one)).join())`
    expect(await runProgram(folder, program)).toBe('')
  })

  it.each([
    ['localstore', 'npm i @lancedb/lancedb'],
    ['cloudindex-serverless', 'npm i @pinecone-database/pinecone'],
  ])('retriever says what %s needs', async (retrievalTool, command) => {
    const program = `
      import { createRetriever } from '@agentkit/retriever'
      const embedder = { id: 'own/one', dimensions: 1, embed: async (texts) => texts.map(() => Float32Array.of(1)) }
      const cloud = { apiKey: 'none' }
      const retriever = createRetriever({ folder: '.', requiredExts: ['md'], retrievalTool: '${retrievalTool}', embedder, cloud })
      console.log(await retriever.sync().catch(({ code, message }) => code + ' ' + message))
      await retriever.close()`
    const said = await runProgram(folder, program)
    expect(said).toContain('missing-package')
    expect(said).toContain(command)
  })
})

describe('agentkit, which combines the packages', () => {
  let folder: string
  beforeAll(async () => {
    // All its dependencies are listed, so that npm requests none of them from the registry.
    const { dependencies = {} } = packages.find(({ manifest }) => manifest.name === 'agentkit')?.manifest ?? {}
    const own = Object.keys(dependencies).filter((name) => packages.some(({ manifest }) => manifest.name === name))
    const functions = packages.find(({ manifest }) => manifest.name === '@agentkit/functions')?.manifest
    const compiler = `ts-morph@${functions?.peerDependencies?.['ts-morph']}`
    folder = await install('recombined', ['agentkit', '@agentkit/wire', ...own], [compiler])
  }, 600_000)

  it('serve the page from the installed package', async () => {
    const program = `
      import { Agent } from 'agentkit'
      import { createApp } from '@agentkit/server'
      const app = createApp(new Agent({ name: 'Clerk', functions: [], model: 'offline/extractive' }))
      const page = await app.request('/')
      const names = [...(await page.text()).matchAll(/\\.\\/(assets\\/[^"]+)/g)].map(([, name]) => name)
      const files = await Promise.all(names.map((name) => app.request('/' + name)))
      console.log(page.status, names.length > 1, files.every(({ status }) => status === 200))`
    expect(await runProgram(folder, program)).toBe('200 true true')
  })

  it('reports how to install a missing provider, before the first call', async () => {
    const program = `
      import { Agent } from 'agentkit'
      process.env.MISTRAL_API_KEY = 'none'
      const agent = new Agent({ name: 'Clerk', functions: [], model: 'mistral-large-2512' })
      const failures = [agent.chat('Hello'), agent.run({ port: 0 })].map((call) => call.catch((error) => error))
      for (const { code, message } of await Promise.all(failures)) console.log(code, message)`
    const line =
      'missing-package The package @agentkit/providers-mistral is not installed. Run: npm i @agentkit/providers-mistral'
    expect(await runProgram(folder, program)).toBe(`${line}\n${line}`)
  })

  it('reports how to install the parsers when an agent needs them', async () => {
    const program = `
      import { Agent } from 'agentkit'
      try {
        new Agent({ name: 'Clerk', functions: [], model: 'offline/extractive', retrieve: true })
      } catch ({ code, message }) {
        console.log(code, message)
      }`
    expect(await runProgram(folder, program)).toBe(
      'missing-package The package @agentkit/retriever is not installed. Run: npm i @agentkit/retriever',
    )
  })

  it('has no Postgres, and reports how to install it', async () => {
    const program = `
      import { Agent } from 'agentkit'
      try {
        new Agent({ name: 'Clerk', functions: [], model: 'offline/extractive', sessions: 'postgres://localhost/app' })
      } catch ({ code, message }) {
        console.log(code, message)
      }`
    const command = 'npm i @agentkit/queue-postgres pg'
    expect(await runProgram(folder, program)).toBe(
      `missing-package The package @agentkit/queue-postgres is not installed. Run: ${command}`,
    )
    const installed = Object.keys(await installedPackages(folder))
    expect(installed.filter((path) => /\/(?:pg|pg-.*)$/.test(path))).toEqual([])
  })

  it('loads from each of its entry points on plain Node', async () => {
    const program = `
      import { Agent, SDKContext, tool } from 'agentkit'
      import { Agent as SameAgent } from 'agentkit/agent'
      import { SDKContext as SameContext } from 'agentkit/sdk-context'
      console.log(typeof tool, Agent === SameAgent, SDKContext === SameContext)`
    expect(await runProgram(folder, program)).toBe('function true true')
  })

  it('is bundled into one file, without what is optional', async () => {
    await writeFile(
      join(folder, 'bundled.js'),
      `import { createApp } from '@agentkit/server'
      import { Agent } from 'agentkit'
      const agent = new Agent({ name: 'Clerk', model: 'offline/extractive', sessions: ':memory:' })
      const [{ status }, text] = [await createApp(agent).request('/health'), await agent.chat('Hello')]
      console.log(status, text.length > 0)
      await agent.close()`,
    )
    const alone = await mkdtemp(join(place, 'one-file-'))
    const { errors, warnings } = await build({
      absWorkingDir: folder,
      entryPoints: ['bundled.js'],
      outfile: join(alone, 'bundled.mjs'),
      ...{ bundle: true, platform: 'node', format: 'esm', logLevel: 'silent' },
      banner: { js: "const require = process.getBuiltinModule('module').createRequire(import.meta.url)" }, // the guide's
    })
    expect([...errors, ...warnings]).toEqual([])
    expect(await node(['bundled.mjs'], alone)).toBe('200 true')
  })

  it.each(['esbuild', 'webpack'])('loads what is optional from beside a bundle of CommonJS by %s', async (bundler) => {
    await writeFile(
      join(folder, 'optional.js'),
      `import { Agent } from 'agentkit'
      const say = ({ message }) => console.log(message)
      try { new Agent({ name: 'Clerk', model: 'offline/extractive', memory: true }) } catch (error) { say(error) }
      process.env.MISTRAL_API_KEY = 'none'
      new Agent({ name: 'Clerk', model: 'mistral-large-2512' }).chat('Hello').catch(say)`,
    )
    const alone = await mkdtemp(join(place, 'one-file-'))
    const entry = join(folder, 'optional.js')
    if (bundler === 'esbuild') {
      const options = { bundle: true, platform: 'node', format: 'cjs', logLevel: 'silent' }
      await build({ entryPoints: [entry], outfile: join(alone, 'bundled.cjs'), ...options })
    } else {
      const output = { path: alone, filename: 'bundled.cjs' }
      const options = { mode: 'none', target: 'node', context: folder, entry, output }
      await new Promise<void>((resolve, reject) => {
        webpack(options, (error) => (error ? reject(error) : resolve()))
      })
    }
    const names = ['@agentkit/memory', '@agentkit/providers-mistral']
    const missing = names.map((name) => `The package ${name} is not installed. Run: npm i ${name}`)
    expect(await node(['bundled.cjs'], alone)).toBe(missing.join('\n'))

    for (const name of names) {
      const installed = join(alone, 'node_modules', name)
      await mkdir(installed, { recursive: true })
      await writeFile(join(installed, 'index.js'), `throw new Error('found ${name}')`)
    }
    expect(await node(['bundled.cjs'], alone)).toMatch(/found @agentkit\/memory\n.*found @agentkit\/providers-mistral/)
  })

  it('is typed', async () => {
    const program = `
      import { Agent, SDKContext, tool } from 'agentkit'
      import { Agent as SameAgent } from 'agentkit/agent'
      import { SDKContext as SameContext } from 'agentkit/sdk-context'
      const add = tool({ name: 'add', description: 'Adds.', input: { type: 'object' }, execute: () => 1 })
      export const agent: SameAgent = new Agent({ name: 'Clerk', functions: [add], model: 'offline/extractive' })
      export const answer: Promise<string> = agent.chat('Hello', { userId: 'me' })
      export const context: SameContext = new SDKContext({ configPath: 'agentkit_config.toml' })`
    expect(await typeErrors(folder, program)).toBe('')
  })

  it('lets a package declare what it has inferred', async () => {
    const program = `
      import { Agent, type ModelRequest, type StandardSchema, Swarm, tool, toolFromFunction, workflow } from 'agentkit'
      declare const input: StandardSchema<unknown, { city: string }>
      declare const output: StandardSchema<unknown, { good: boolean }>
      export const weather = tool({ name: 'weather', description: 'Weather.', input, execute: ({ city }) => city })
      export const clerk = new Agent({ name: 'Clerk', functions: [weather], model: 'offline/extractive' })
      export const judge = new Agent({ name: 'Judge', model: 'offline/extractive', output })
      export const team = new Swarm({ name: 'Team', agents: [clerk, judge] })
      export const report = workflow<{ topic: string }>().step(({ topic }) => topic).parallel({ clerk, judge })
      export const pair = workflow().parallel([clerk, judge]).step(([text, { good }]) => (good ? text : ''))
      export const member = pair.asAgent()
      export const ask = () => judge.stream('Hello').result
      export const pay = { ...toolFromFunction((euros: number) => euros), needsApproval: true }
      export const brief = (request: ModelRequest) => ({ ...request, maxOutputTokens: 100 })
      export const notes = () => clerk.memory.notes({ userId: 'ada' })
      export default report`
    expect(await typeErrors(folder, program, { declaration: true })).toBe('')
  })

  // npm installs hono where each package finds it, pnpm does not: a declaration that names it compiles with npm alone.
  it('lets a package declare its server without naming a package that is not its own', async () => {
    const program = `
      import { createApp, serve } from '@agentkit/server'
      import { Agent } from 'agentkit'
      export const agent = new Agent({ name: 'Clerk', model: 'offline/extractive' })
      export const app = createApp(agent)
      export const open = () => serve(agent)
      export default { fetch: app.fetch }`
    const emit = { declaration: true, noEmit: false, emitDeclarationOnly: true, outDir: join(folder, 'types') }
    expect(await typeErrors(folder, program, emit)).toBe('')
    const declared = await readFile(join(folder, 'types/typed.d.ts'), 'utf8')
    const named = [...declared.matchAll(/(?:from |import\()["']([^"']+)/g)].map(([, name]) => name)
    expect(new Set(named)).toEqual(new Set(['agentkit', '@agentkit/server']))
  })

  it('has no install script', async () => {
    const installed = Object.entries(await installedPackages(folder))
    expect(installed.filter(([, { hasInstallScript }]) => hasInstallScript).map(([path]) => path)).toEqual([])
  })

  it('loads an app by `agentkit/register` in the project that `npm init -y` makes, and with any other "type"', async () => {
    const project = await mkdtemp(join(place, 'first-app-'))
    await npm(project, 'init', '-y')
    await symlink(join(folder, 'node_modules'), join(project, 'node_modules'), 'junction')
    await writeFile(join(project, 'app.ts'), app)
    await writeFile(join(project, 'weather.ts'), weather)
    const manifest = JSON.parse(await readFile(join(project, 'package.json'), 'utf8'))
    // As this npm has written it; as newer and older ones do; as README says.
    for (const type of [manifest.type, 'commonjs', undefined, 'module']) {
      await writeFile(join(project, 'package.json'), JSON.stringify({ ...manifest, type }))
      expect(await node(['--import', 'agentkit/register', 'app.ts'], project), `"type": ${type}`).toContain(
        'Sunny in Oslo',
      )
    }
  })
})

const app = `
  import { Agent } from 'agentkit'
  import { weather } from './weather.ts'
  const options = { model: 'offline/extractive', sessions: ':memory:' }
  const agent = new Agent({ name: 'Test', functions: [weather], ...options })
  console.log(await agent.chat('What is the weather in Oslo?'))`
const weather = `
  /**
   * The weather in a city.
   * @param city Its name.
   */
  export function weather(city: string): string {
    return \`Sunny in \${city}\`
  }`

describe('a project of agentkit init', () => {
  let registry: Awaited<ReturnType<typeof loopbackRegistry>>
  beforeAll(async () => {
    registry = await loopbackRegistry(packages.map(({ manifest }) => join(place, tarballOf(manifest.name))))
  })
  afterAll(() => registry.close())

  // No packages of this repository: CI puts them on the PATH.
  const others = ['yarn', 'bun'].filter((manager) => {
    const { status } = spawnSync(manager, ['--version'], { shell: process.platform === 'win32' })
    if (status !== 0) console.log(`${manager} is not installed: no project is made with it.`)
    return status === 0
  })

  const environment = (): NodeJS.ProcessEnv => ({
    ...withoutKeys(plainEnvironment()),
    npm_config_registry: registry.url,
    // The packages of this registry are other ones each time, of one version.
    npm_config_cache: join(place, 'cache'),
    npm_config_store_dir: join(place, 'store'),
    YARN_NPM_REGISTRY_SERVER: registry.url,
    YARN_UNSAFE_HTTP_WHITELIST: '127.0.0.1',
    YARN_GLOBAL_FOLDER: join(place, 'yarn'),
    BUN_INSTALL_CACHE_DIR: join(place, 'bun'),
    PATH: `${join(root, 'node_modules/.bin')}${delimiter}${process.env.PATH}`,
  })
  const inFolder = (folder: string, program: string, ...words: string[]) =>
    run(program, words, { cwd: folder, env: environment(), shell: process.platform === 'win32' })
  let withAll: string

  it.each([['npm', 'files'], ['pnpm', 'agent'], ...others.map((manager): [string, string] => [manager, 'agent'])])(
    'installs by %s, and works: %s',
    { timeout: 600_000 },
    async (manager, template) => {
      const folder = await mkdtemp(join(place, 'project'))
      const init = ['agentkit', 'init', '--pm', manager, '--template', template, '--yes']
      await inFolder(folder, 'npm', 'exec', '--yes', '--package=agentkit', '--', ...init)
      if (template === 'files') withAll = folder
      await expectWorking(folder, template)
    },
  )

  it.each(['agent', 'swarm'])('works from the template %s too', { timeout: 600_000 }, async (template) => {
    const folder = await mkdtemp(join(place, 'project'))
    await symlink(join(withAll, 'node_modules'), join(folder, 'node_modules'), 'junction')
    const cli = 'node_modules/agentkit/dist/cli.js'
    await inFolder(folder, process.execPath, cli, 'init', '--template', template, '--yes', '--no-install')
    await expectWorking(folder, template)
  })

  /** It is typed, passes its test, answers without a key, and its doctor finds nothing. */
  async function expectWorking(folder: string, template: string): Promise<void> {
    await inFolder(folder, process.execPath, 'node_modules/typescript/bin/tsc')
    const tests = await inFolder(folder, 'npm', 'test')
    expect(tests.stdout).toMatch(/fail 0/)
    const question = template === 'files' ? 'How many days of holiday are there?' : 'What time is it in Europe/Oslo?'
    const cli = 'node_modules/agentkit/dist/cli.js'
    const { stdout, stderr } = await inFolder(folder, process.execPath, cli, 'run', question)
    expect(stderr).toContain('offline/extractive')
    expect(stdout).toMatch(template === 'files' ? /30 days/ : template === 'agent' ? /\d:\d\d/ : /./)
    // The port of a project may be taken by a server that is not part of this test.
    const config = join(folder, 'agentkit_config.toml')
    const settings = await readFile(config, 'utf8')
    expect(settings).toMatch(/^port = 8000/m)
    await writeFile(config, settings.replace(/^port = 8000/m, 'port = 0'))
    const doctor = await inFolder(folder, process.execPath, cli, 'doctor', '--offline')
    expect(doctor.stdout).toMatch(/\n0 failed, /)
  }
})

function withoutKeys(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  return Object.fromEntries(Object.entries(env).filter(([name]) => !name.endsWith('_API_KEY')))
}

describe('the tarball of agentkit', () => {
  it('has the page that `help` of each error names, and the guides', async () => {
    const { stdout } = await run('tar', ['-tzf', tarballOf('agentkit')], { cwd: place })
    const files = stdout.split('\n').map((line) => line.trim().replace('package/', ''))
    const pages = Object.keys(errorCodes).map((code) => helpOf(code).replace('node_modules/agentkit/', ''))
    expect(pages.filter((page) => !files.includes(page))).toEqual([])
    expect(files).toContain('docs/guides/reliability.md')
  })
})

/** Creates a folder in which npm has installed these packages of ours from their tarballs. */
async function install(folderName: string, names: string[], others: string[] = []): Promise<string> {
  const folder = await mkdtemp(join(place, folderName))
  await writeFile(join(folder, 'package.json'), JSON.stringify({ name: 'consumer', private: true, type: 'module' }))
  await installInto(folder, names, others)
  return folder
}

async function installInto(folder: string, names: string[], others: string[] = []): Promise<void> {
  const tarballs = names.map((name) => join(place, tarballOf(name)))
  await npm(
    folder,
    'install',
    '--ignore-scripts',
    '--no-audit',
    '--no-fund',
    '--loglevel=error',
    ...tarballs,
    ...others,
  )
}

async function npm(cwd: string, ...args: string[]): Promise<void> {
  // npm is a .cmd file on Windows.
  await run('npm', args, { cwd, env: plainEnvironment(), shell: process.platform === 'win32' })
}

async function installedPackages(folder: string): Promise<Record<string, { hasInstallScript?: boolean }>> {
  const lock = JSON.parse(await readFile(join(folder, 'node_modules', '.package-lock.json'), 'utf8'))
  return lock.packages
}

async function runProgram(folder: string, program: string): Promise<string> {
  await writeFile(join(folder, 'program.js'), program)
  return node(['program.js'], folder)
}

const withBrowsers = ['es2024', 'dom', 'dom.iterable', 'dom.asynciterable', 'esnext.disposable']

async function typeErrors(folder: string, program: string, options: object = {}): Promise<string> {
  await writeFile(join(folder, 'typed.ts'), program)
  const compilerOptions = {
    target: 'es2024',
    lib: withBrowsers,
    module: 'nodenext',
    strict: true,
    noEmit: true,
    skipLibCheck: false,
    types: ['node'],
    typeRoots: [join(root, 'node_modules', '@types')],
    ...options,
  }
  await writeFile(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, include: ['typed.ts'] }))
  // The compiler prints the errors and then exits with one.
  return node([bin('typescript', 'bin/tsc'), '-p', folder], folder).catch((error: { stdout: string }) => error.stdout)
}

async function node(args: string[], cwd: string = root): Promise<string> {
  return (await run(process.execPath, args, { cwd, env: plainEnvironment() })).stdout.trim()
}

function bin(packageName: string, file: string): string {
  return join(root, 'node_modules', packageName, file)
}
