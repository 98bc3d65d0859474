// Tries apps/next-chat as a user would, and its page in a browser:
// `node --conditions=@agentkit/source scripts/next-chat.ts`. It needs the registry of npm packages and 1 GB of disk.
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { findChromium } from '../apps/playground/src/__fixtures__/find-chromium.ts'
import { drivePage } from './next-chat/drive-page.ts'
import { packPackages, plainEnvironment, published, tarballOf } from './pack-packages.ts'
import { type Manifest, root } from './workspace-files.ts'

const place = await mkdtemp(join(tmpdir(), 'agentkit-next-chat-'))
try {
  await step('packed', () => packPackages(place))
  const app = join(place, 'app')
  await step('installed', () => install(app))
  await step('built', () => run(app, 'npx', ['next', 'build']))
  await step('served', () => serve(app))
} finally {
  await rm(place, { recursive: true, force: true })
}

/** The app outside of the workspace, with our packages from their tarballs. */
async function install(app: string): Promise<void> {
  const isOutput = (path: string): boolean => /[\\/](?:node_modules|\.next|agentkit-data)$/.test(path)
  await cp(join(root, 'apps/next-chat'), app, { recursive: true, filter: (path) => !isOutput(path) })
  const path = join(app, 'package.json')
  const manifest = JSON.parse(await readFile(path, 'utf8')) as Manifest // of the app
  // All that `agentkit` depends on, so that npm requests none of them from the registry.
  const { dependencies: needed } = published().find(({ manifest: { name } }) => name === 'agentkit')?.manifest ?? {}
  const own = published().filter(({ manifest: { name } }) => needed?.[name] !== undefined)
  const names = ['agentkit', '@agentkit/wire', ...own.map((each) => each.manifest.name)]
  const tarballs = Object.fromEntries(names.map((name) => [name, `file:${join(place, tarballOf(name))}`]))
  const dependencies = { ...manifest.dependencies, ...tarballs, 'playwright-core': '1.65.0' }
  await writeFile(path, JSON.stringify({ ...manifest, dependencies }))
  await run(app, 'npm', ['install', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'])
}

async function serve(app: string): Promise<void> {
  const server = start(app, process.execPath, [
    'node_modules/next/dist/bin/next',
    'start',
    '--hostname',
    '127.0.0.1',
    '--port',
    '0',
  ])
  try {
    const url = await addressOf(server)
    const chromium = findChromium()
    if (chromium === undefined) return console.log('No `chromium` is installed: the page was not driven by a browser.')
    await drivePage({ app, url, chromium })
  } finally {
    const isRunning = server.exitCode === null && server.signalCode === null
    if (isRunning && server.kill('SIGTERM')) await once(server, 'exit')
  }
}

/** The address of the server, whose port the system has chosen. */
async function addressOf(server: ChildProcess): Promise<string> {
  let said = ''
  server.stdout?.setEncoding('utf8').on('data', (text: string) => {
    said += text
  })
  server.stderr?.setEncoding('utf8').on('data', (text: string) => {
    said += text
  })
  for (;;) {
    const [url] = /http:\/\/127\.0\.0\.1:\d+/.exec(said) ?? []
    if (
      url !== undefined &&
      (await fetch(url).then(
        ({ ok }) => ok,
        () => false,
      ))
    )
      return url
    if (server.exitCode !== null) throw new Error(`next start ended with ${server.exitCode}: ${said}`)
    await sleep(100)
  }
}

async function run(cwd: string, command: string, args: string[]): Promise<void> {
  const child = start(cwd, command, args)
  let said = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream?.setEncoding('utf8').on('data', (text: string) => {
      said += text
    })
  }
  const [code] = await once(child, 'close')
  if (code !== 0) throw new Error(`${command} ${args[0]} ended with ${code}: ${said}`)
}

function start(cwd: string, command: string, args: string[]): ChildProcess {
  const env = { ...plainEnvironment(), NEXT_TELEMETRY_DISABLED: '1' }
  const shell = process.platform === 'win32' && command !== process.execPath // npm is a .cmd file there
  return spawn(command, args, { cwd, env, shell, stdio: ['ignore', 'pipe', 'pipe'] })
}

async function step(name: string, work: () => Promise<void>): Promise<void> {
  const begin = performance.now()
  await work()
  console.log(`${name} in ${((performance.now() - begin) / 1000).toFixed(1)} s`)
}
