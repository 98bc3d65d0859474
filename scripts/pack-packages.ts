import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { type Package, readPackages, root } from './workspace-files.ts'

/** Builds the packages, and packs each as it is published: `tarballOf(name)` in this folder. */
export async function packPackages(place: string): Promise<void> {
  await node([bin('typescript', 'bin/tsc'), '-b', ...published().map(({ folder }) => folder)])
  for (const { folder } of published()) await node([join(root, 'scripts/bundle.mjs')], join(root, folder))
  const filter = ['--recursive', '--filter', './packages/*']
  await node([bin('pnpm', 'bin/pnpm.cjs'), ...filter, 'pack', '--pack-destination', place])
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

/** A user's environment: without the variables that resolve our packages to sources, and those of npm and pnpm. */
export function plainEnvironment(): NodeJS.ProcessEnv {
  const ours = /^(NODE_OPTIONS|NODE_PATH|NODE_ENV|VITEST.*|npm_(?!config_(cache|registry|cafile)).*)$/
  return Object.fromEntries(Object.entries(process.env).filter(([name]) => !ours.test(name)))
}

function bin(packageName: string, file: string): string {
  return join(root, 'node_modules', packageName, file)
}

async function node(args: string[], cwd: string = root): Promise<void> {
  await promisify(execFile)(process.execPath, args, { cwd, env: plainEnvironment() })
}
