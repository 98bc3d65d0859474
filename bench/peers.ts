import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'

/** Peers that are not installed with the workspace, as they bring more packages than all that is measured here. */
const versions = { '@earendil-works/pi-agent-core': '1.6.0', '@earendil-works/pi-ai': '1.6.0' }
const folder = join(import.meta.dirname, 'results/peers')

/** Installs what is missing, without its install scripts. */
export function installPeers(): void {
  const missing = Object.keys(versions).filter((name) => !existsSync(join(folder, 'node_modules', name)))
  if (missing.length === 0) return
  console.log(`Installing ${missing.join(', ')} into bench/results/peers: about 20 s, and 130 MB on the disk…`)
  mkdirSync(folder, { recursive: true })
  const packages = Object.entries(versions).map(([name, version]) => `${name}@${version}`)
  const words = ['install', '--prefix', folder, '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error']
  // npm is a .cmd file on Windows.
  execFileSync('npm', [...words, ...packages], { stdio: 'inherit', shell: process.platform === 'win32' })
}

/** Imports a file of a peer. Their types are not installed. */
export async function importPeer(file: string): Promise<unknown> {
  return import(pathToFileURL(join(folder, 'node_modules', file)).href)
}
