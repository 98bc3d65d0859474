// Plain JavaScript without dependencies, as everything it imports: it runs on whatever Node (18 or newer) the machine has.
import { spawn } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { delimiter, dirname, join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'

export const root = dirname(dirname(fileURLToPath(import.meta.url)))

/**
 * Runs a file with the repository's own Node and waits for it.
 *
 * @param {string[]} args Node's arguments: flags, the file, the file's arguments.
 * @param {Record<string, string>} [variables] More environment variables.
 * @returns {Promise<number | NodeJS.Signals>} The exit code, or the signal that ended it.
 */
export function runNode(args, variables) {
  return ended(spawn(nodeBinary(), args, { cwd: root, env: { ...toolEnvironment(), ...variables }, stdio: 'inherit' }))
}

/** Runs a tool from `node_modules` (by its package's name) with the repository's own Node. */
export function runTool(packageName, args, variables) {
  return runNode([toolFile(packageName), ...args], variables)
}

/**
 * Runs a server as `runNode` does, in its own process group: a signal of a terminal or a supervisor to the whole group
 * then reaches it only once, from here (a second signal means "immediately"). By its channel it notices when this
 * process is killed.
 */
export function runServer(args) {
  const endWithParent = pathToFileURL(join(root, 'scripts', 'end-with-parent.mjs')).href
  const child = spawn(nodeBinary(), ['--import', endWithParent, ...args], {
    cwd: root,
    env: toolEnvironment(),
    stdio: ['inherit', 'inherit', 'inherit', 'ipc'],
    detached: process.platform !== 'win32', // where it would open a window
  })
  return ended(child)
}

/** The package of this platform's Node: an optional dependency, whose integrity is in the lockfile. */
export const nodePackage = `node-${process.platform === 'win32' ? 'win' : process.platform}-${process.arch}`

/** The binary that this package brings. It exists after an install. */
export function nodeBinary() {
  return join(root, 'node_modules', nodePackage, 'bin', process.platform === 'win32' ? 'node.exe' : 'node')
}

/**
 * Waits for a child, passes on the signals that this process gets, and ends the child when npm was ended.
 *
 * @param {import('node:child_process').ChildProcess} child
 * @param {(signal: NodeJS.Signals) => void} [send] How a signal is sent to it.
 */
export function ended(child, send = (signal) => child.kill(signal)) {
  const lastPassed = {}
  const passOn = (signal) => {
    // npm forwards signals that the terminal has already sent to this process. On Windows the terminal alone can send
    // Ctrl-C.
    if (Date.now() - (lastPassed[signal] ?? 0) < 200 || (process.platform === 'win32' && signal === 'SIGINT')) return
    lastPassed[signal] = Date.now()
    send(signal)
  }
  const signals = ['SIGINT', 'SIGTERM', 'SIGHUP']
  for (const signal of signals) process.on(signal, passOn)

  // npm starts a shell that starts us. A signal to npm ends that shell and gets no further: we only see a new parent.
  const parent = process.ppid
  const watch = setInterval(() => {
    if (process.env.npm_lifecycle_event === undefined || process.ppid === parent) return
    clearInterval(watch)
    passOn('SIGTERM')
  }, 200)

  return new Promise((resolve, reject) => {
    child.once('error', reject)
    child.once('close', (code, signal) => resolve(code ?? signal))
  }).finally(() => {
    clearInterval(watch)
    for (const signal of signals) process.off(signal, passOn)
  })
}

function toolFile(packageName) {
  const folder = join(root, 'node_modules', packageName)
  const { bin } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
  const file = typeof bin === 'string' ? bin : Object.values(bin)[0]
  if (!existsSync(join(folder, file)))
    throw new Error(`${packageName} has no ${file}: delete node_modules and try again.`)
  return join(folder, file)
}

function toolEnvironment() {
  const pathName = Object.keys(process.env).find((name) => name.toUpperCase() === 'PATH') ?? 'PATH'
  return {
    ...process.env,
    // Whatever the tools start (turbo: pnpm, pnpm: tsc) is the repository's too, and `node` is its Node.
    [pathName]: [dirname(nodeBinary()), join(root, 'node_modules', '.bin'), process.env[pathName]].join(delimiter),
    // No tool that runs here reports its usage.
    DO_NOT_TRACK: '1',
    TURBO_TELEMETRY_DISABLED: '1',
    TURBO_NO_UPDATE_NOTIFIER: '1',
  }
}
