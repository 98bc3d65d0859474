import { execFile } from 'node:child_process'
import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { delimiter, dirname, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import { type Package, readPackages, root } from './workspace-files.ts'

/** Builds the packages, and packs each as it is published: `tarballOf(name)` in this folder. */
export async function packPackages(place: string): Promise<void> {
  // Two test files do so, and what one builds the other one packs.
  const release = await holdBuild()
  try {
    await node([bin('turbo', 'bin/turbo'), 'run', 'build', '--output-logs=errors-only'])
    const filter = ['--recursive', '--filter', './packages/*']
    await node([bin('pnpm', 'bin/pnpm.cjs'), ...filter, 'pack', '--pack-destination', place])
  } finally {
    release()
  }
}

/** Waits until no other process builds. @returns lets the next one build */
async function holdBuild(): Promise<() => void> {
  const lock = join(root, 'node_modules/.agentkit-build')
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

let packages: Package[] | undefined

/** The packages that users install. Read once: that takes a second. */
export function published(): Package[] {
  packages ??= readPackages().filter(({ folder }) => folder.startsWith('packages/'))
  return packages
}

/** The name of the file that a package is packed into. */
export function tarballOf(name: string): string {
  const version = published().find(({ manifest }) => manifest.name === name)?.manifest.version
  return `${name.replace('@', '').replace('/', '-')}-${version}.tgz`
}

/**
 * A user's environment: without the variables that resolve our packages to sources, and without the variables of npm
 * and pnpm.
 */
export function plainEnvironment(): NodeJS.ProcessEnv {
  const ours = /^(NODE_OPTIONS|NODE_PATH|NODE_ENV|VITEST.*|npm_(?!config_(cache|registry|cafile)).*)$/
  return Object.fromEntries(Object.entries(process.env).filter(([name]) => !ours.test(name)))
}

function bin(packageName: string, file: string): string {
  return join(root, 'node_modules', packageName, file)
}

async function node(args: string[]): Promise<void> {
  const env = plainEnvironment()
  // Turbo starts pnpm, and that our Node, which are no tools of the machine.
  const PATH = [dirname(process.execPath), join(root, 'node_modules/.bin'), env.PATH].join(delimiter)
  await promisify(execFile)(process.execPath, args, { cwd: root, env: { ...env, PATH, TURBO_TELEMETRY_DISABLED: '1' } })
}
