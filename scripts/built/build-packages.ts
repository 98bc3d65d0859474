import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'

const root = join(import.meta.dirname, '../..')
const place = join(root, '.build')

/**
 * The JavaScript of the packages (`dist`) is that of their sources when this has resolved. A process that loads it has to
 * link a tenth of the modules. Building takes a second, and only a changed file is a reason; `turbo` adds the types.
 */
export async function buildPackages(): Promise<void> {
  const stamp = join(place, 'stamp')
  const isBuilt = () => existsSync(stamp) && readFileSync(stamp, 'utf8') === stateOf(sources()) + stateOf(built())
  if (isBuilt()) return
  const release = await holdBuild()
  try {
    if (isBuilt()) return
    // What is changed meanwhile is built by the next call.
    const state = stateOf(sources())
    const program = join(import.meta.dirname, 'bundle-all.mjs')
    await promisify(execFile)(process.execPath, [program], { env: builtEnvironment() })
    writeFileSync(stamp, state + stateOf(built()))
  } finally {
    release()
  }
}

/** The environment of a process that loads built packages: without the condition that resolves them to their sources. */
export function builtEnvironment(): NodeJS.ProcessEnv {
  const { NODE_OPTIONS: _, ...others } = process.env
  return others
}

/** Waits until no other process builds. @returns lets the next one build */
export async function holdBuild(): Promise<() => void> {
  mkdirSync(place, { recursive: true })
  const lock = join(place, 'lock')
  for (;;) {
    try {
      writeFileSync(lock, String(process.pid), { flag: 'wx' })
      return () => rmSync(lock, { force: true })
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
      if (isLeft(lock)) rmSync(lock, { force: true })
      else await sleep(200)
    }
  }
}

/** Whether the process that has made a lock has died. */
function isLeft(lock: string): boolean {
  try {
    const pid = Number(readFileSync(lock, 'utf8'))
    // Nothing is in it until its holder has written.
    return pid > 0 && !process.kill(pid, 0)
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ESRCH'
  }
}

/** Differs when a file is another one, or has been written. */
function stateOf(files: readonly string[]): string {
  const hash = createHash('sha256')
  for (const file of files) {
    const { ino, mtimeMs, size } = statSync(file)
    hash.update(`${file} ${ino} ${mtimeMs} ${size}\n`)
  }
  return hash.digest('hex')
}

/** All that is built from. */
function sources(): string[] {
  const scripts = ['bundle.mjs', 'bundled.json', 'copy-guides.mjs', 'embed-swagger-ui.mjs']
  const guides = ['docs/guides', 'docs/errors', 'docs/migrate', 'docs/playground'].flatMap((path) => filesOf(path))
  const pages = readdirSync(join(root, 'docs'))
    .filter((name) => /\.(?:md|txt)$/.test(name))
    .map((name) => join(root, 'docs', name))
  return [
    ...[...scripts.map((name) => `scripts/${name}`), 'pnpm-lock.yaml', 'docs/.vitepress/pages.ts'].map((path) =>
      join(root, path),
    ),
    ...[...pages, ...guides],
    ...packages().flatMap((folder) => [
      join(root, folder, 'package.json'),
      join(root, folder, 'tsconfig.json'),
      ...filesOf(`${folder}/src`).filter((path) => !/\.test\.ts$|[\\/]__fixtures__[\\/]/.test(path)),
    ]),
  ]
}

/** All that is built but for the types. */
function built(): string[] {
  return packages().flatMap((folder) => filesOf(`${folder}/dist`).filter((path) => /\.(?:js|txt)$/.test(path)))
}

function packages(): string[] {
  const names = readdirSync(join(root, 'packages')).filter((name) => existsSync(join(root, 'packages', name, 'src')))
  return names.map((name) => `packages/${name}`)
}

function filesOf(folder: string): string[] {
  if (!existsSync(join(root, folder))) return []
  return readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => join(parentPath, name))
}
