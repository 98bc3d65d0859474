import { execFile } from 'node:child_process'
import { delimiter, dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { buildPackages, holdBuild } from './built/index.ts'
import { listPackages, type Package, root } from './workspace-files.ts'

/** Builds the packages, and packs each as it is published: `tarballOf(name)` in this folder. */
export async function packPackages(place: string): Promise<void> {
  // Without turbo, which writes the files of a build that it has kept once more, while other tests load them.
  await buildPackages()
  // Two test files do so, and the types that one writes the other one packs.
  const release = await holdBuild()
  try {
    const projects = published().map(({ folder }) => folder)
    await node([bin('typescript', 'bin/tsc'), '-b', ...projects])
    const filter = ['--recursive', '--filter', './packages/*']
    await node([bin('pnpm', 'bin/pnpm.cjs'), ...filter, 'pack', '--pack-destination', place])
  } finally {
    release()
  }
}

export type Published = Omit<Package, 'sources'>

/** The packages that users install. */
export function published(): Published[] {
  return listPackages().filter(({ folder }) => folder.startsWith('packages/'))
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
  // pnpm starts our Node, which is no tool of the machine.
  const PATH = [dirname(process.execPath), env.PATH].join(delimiter)
  await promisify(execFile)(process.execPath, args, { cwd: root, env: { ...env, PATH } })
}
