import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'

/** Peers that are not installed with the workspace, as they bring more packages than all that is measured here. */
const versions = { '@earendil-works/pi-agent-core': '1.6.0', '@earendil-works/pi-ai': '1.6.0' }
const folder = join(import.meta.dirname, 'results/peers')

/** Installs them where they are missing or of another version, without their install scripts. */
export function installPeers(): void {
  if (Object.entries(versions).every(([name, version]) => versionOf(name) === version)) return
  console.log(`Installing ${Object.keys(versions).join(', ')} below bench/results: about 20 s, and 130 MB on the disk…`)
  mkdirSync(folder, { recursive: true })
  const packages = Object.entries(versions).map(([name, version]) => `${name}@${version}`)
  const words = ['install', '--prefix', folder, '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error']
  // npm is a .cmd file on Windows.
  execFileSync('npm', [...words, ...packages], { stdio: 'inherit', shell: process.platform === 'win32' })
}

function versionOf(name: string): string | undefined {
  const manifest = join(folder, 'node_modules', name, 'package.json')
  return existsSync(manifest) ? JSON.parse(readFileSync(manifest, 'utf8')).version : undefined
}

/** Imports a file of a peer. Their types are not installed. */
export async function importPeer(file: string): Promise<unknown> {
  return import(pathToFileURL(join(folder, 'node_modules', file)).href)
}
