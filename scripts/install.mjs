import { spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { ended, nodeBinary, nodePackage, root } from './toolchain.mjs'

const stampFile = join(root, 'node_modules', '.agentkit-installed')

/** Installs the workspace if its inputs have changed since the last install. */
export async function ensureInstalled() {
  const stamp = installStamp()
  if (existsSync(nodeBinary()) && existsSync(stampFile) && readFileSync(stampFile, 'utf8') === stamp) return

  console.log(`Installing (${existsSync(stampFile) ? 'what changed' : 'once: 25 to 60 s, and 1.5 GB on the disk'})…`)
  const { packageManager } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
  const { outcome, output } = await install(packageManager)
  if (outcome === 0 && existsSync(nodeBinary())) {
    shortenNodeShim()
    writeFileSync(stampFile, stamp)
    return
  }

  if (typeof outcome === 'number') console.error(`${output}\nThe install failed. ${fixFor(output, packageManager)}`)
  process.exit(1)
}

/** A hash of all inputs of an install. */
function installStamp() {
  const hash = createHash('sha256').update(`${process.platform}-${process.arch}`)
  for (const file of ['pnpm-lock.yaml', 'pnpm-workspace.yaml', '.npmrc', ...manifestsIn('.')]) {
    if (existsSync(join(root, file))) hash.update(`\n${file}\n`).update(readFileSync(join(root, file)))
  }
  return hash.digest('hex')
}

function manifestsIn(folder) {
  const entries = readdirSync(join(root, folder), { withFileTypes: true })
  const folders = entries.filter((entry) => entry.isDirectory() && !/^(\.|node_modules$|src$|dist$)/.test(entry.name))
  const below = folders.map(({ name }) => `${folder}/${name}`).sort()
  return [`${folder}/package.json`, ...below.flatMap(manifestsIn)]
}

async function install(packageManager) {
  // The package manager needs another Node, because this one's binary may be replaced.
  for (const name of ['node', 'node.CMD', 'node.ps1']) rmSync(join(root, 'node_modules', '.bin', name), { force: true })

  const options = ['--frozen-lockfile', '--config.confirm-modules-purge=false', '--reporter=append-only']
  return runPackageManager(packageManager, ['install', ...options])
}

async function runPackageManager(packageManager, args) {
  // The tools are devDependencies, which NODE_ENV=production would omit.
  const { NODE_ENV: _, ...env } = process.env
  const onWindows = process.platform === 'win32'
  const child = spawn('npx', ['--yes', packageManager, ...args], {
    cwd: root,
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
    shell: onWindows, // npx is a .cmd file there
    detached: !onWindows,
  })
  // npx does not forward signals, and an install that continues in the background would conflict with the next one.
  let stoppedBy
  const sendToAll = (signal) => {
    stoppedBy = signal
    return onWindows ? child.kill(signal) : process.kill(-child.pid, signal)
  }
  let output = ''
  const stopProgress = showProgress(() => progressOf(output))
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text) => {
      output += text
    })
  }
  const outcome = await ended(child, sendToAll).finally(stopProgress)
  return { outcome: stoppedBy ?? outcome, output }
}

/** Says how far an install is: in one line of a terminal, else in a line every 10 seconds. */
function showProgress(state) {
  const { stderr } = process
  const startedAt = performance.now()
  const seconds = () => Math.round((performance.now() - startedAt) / 1000)
  const onTerminal = () => stderr.write(`\r\u001b[K  ${seconds()} s  ${state()}`.slice(0, stderr.columns))
  const timer = stderr.isTTY
    ? setInterval(onTerminal, 500)
    : setInterval(() => stderr.write(`  ${seconds()} s  ${state()}\n`), 10_000)
  return () => {
    clearInterval(timer)
    if (stderr.isTTY) stderr.write('\r\u001b[K')
  }
}

/** The last progress that the package manager has reported: `resolved 812, reused 700, downloaded 90, added 530`. */
export function progressOf(output) {
  const lines = [...output.slice(-10_000).matchAll(/^Progress: ([\w ,]+)/gm)]
  return lines.at(-1)?.[1] ?? 'getting the package manager'
}

/**
 * npm puts node_modules/.bin first on the PATH, so once installed, `node scripts/run.mjs` is a script of pnpm's that starts
 * Node and stays in between, where signals end. This one becomes Node; while its package is being replaced, the
 * machine's own.
 */
function shortenNodeShim() {
  if (process.platform === 'win32') return
  const shim = `#!/bin/sh
node="$(dirname "$0")/../${nodePackage}/bin/node"
[ -x "$node" ] && exec "$node" "$@"
others="\${PATH##*node_modules/.bin:}"
[ "$others" != "$PATH" ] && PATH="$others" exec node "$@"
echo "Node is not installed here: delete node_modules and run npm start again." >&2
exit 127
`
  writeFileSync(join(root, 'node_modules', '.bin', 'node'), shim, { mode: 0o755 })
}

function fixFor(output, packageManager) {
  if (output.includes('ERR_PNPM_OUTDATED_LOCKFILE')) {
    return `pnpm-lock.yaml is behind a package.json: run \`npx ${packageManager} install\` and commit the lock file.`
  }
  if (/ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ECONNRESET|ETIMEDOUT|ERR_SOCKET_TIMEOUT/.test(output)) {
    return 'The package registry was out of reach: check the network, and the proxy in `npm config list`.'
  }
  if (output.includes('ENOSPC')) return 'The disk is full: an install needs about 1.5 GB.'
  if (!existsSync(nodeBinary())) {
    return `Node for this platform is the optional dependency ${nodePackage}, which is not there: if \`npm config get omit\` has "optional", delete that; if package.json does not name it, add it.`
  }
  return 'Delete node_modules and try again.'
}
