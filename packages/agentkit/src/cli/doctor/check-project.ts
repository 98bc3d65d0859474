import { accessSync, constants, readFileSync, statSync } from 'node:fs'
import { statfs } from 'node:fs/promises'
import { basename, relative } from 'node:path'
import { systemCode } from '@agentkit/core/internal'
import { nearestFile } from '../common/nearest-file.ts'
import { isTooOld, neededNode } from '../common/needed-node.ts'
import { ownManifest } from '../common/own-manifest.ts'
import { addCommand, packageManager } from '../common/package-manager.ts'
import { installedVersion, namedPackages } from './installed-packages.ts'
import { type CheckResult, merged, type Project } from './project.ts'

/** The version of Node that runs this command. */
export function checkNode(): CheckResult {
  const { node } = process.versions
  if (!isTooOld(node)) return { status: 'ok', detail: `Node ${node}.` }
  return {
    status: 'fail',
    detail: `Node ${node} runs this, and agentkit needs ${neededNode} or newer.`,
    fix: 'nvm install 24',
  }
}

/** Whether Node loads the files of the project as modules. */
export function checkPackageType(): CheckResult {
  const file = nearestFile(process.cwd(), 'package.json')
  if (file === undefined) {
    return { status: 'warn', detail: 'There is no package.json here.', fix: 'npx agentkit init' }
  }
  const name = relative('', file)
  let manifest: { type?: unknown }
  try {
    manifest = Object(JSON.parse(readFileSync(file, 'utf8')))
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    const line = /\(line (\d+) /.exec(reason)?.[1]
    const fix = `Correct ${line === undefined ? '' : `line ${line} of `}${name}.`
    return {
      status: 'fail',
      detail: `${name} cannot be read: ${reason}.`,
      fix,
      file: name,
      ...(line && { line: Number(line) }),
    }
  }
  const fix = 'npm pkg set type=module'
  if (manifest.type === 'module') return { status: 'ok', detail: `${name} has "type": "module".` }
  if (manifest.type === undefined) {
    return { status: 'warn', detail: `${name} has no "type": Node guesses what a file is.`, fix, file: name }
  }
  return {
    status: 'fail',
    detail: `${name} has "type": ${JSON.stringify(manifest.type)}: Node loads its files as CommonJS, in which \`import\` and \`await\` fail without agentkit/register.`,
    fix,
    file: name,
  }
}

/** Whether our packages have one version, and those are installed that the configuration needs. */
export function checkPackages(project: Project): CheckResult {
  if (process.versions.pnp !== undefined) {
    const fix = 'yarn config set nodeLinker node-modules && yarn install'
    return {
      status: 'fail',
      detail: "Yarn's Plug'n'Play has installed the packages: agentkit does not support it.",
      fix,
    }
  }
  const { version } = ownManifest
  const manager = packageManager()
  const findings: CheckResult[] = []
  const missing: string[] = []
  for (const { name, reason } of namedPackages(project)) {
    if (installedVersion(name) !== undefined) continue
    missing.push(name)
    findings.push({ status: 'fail', detail: `The package ${name} is not installed: ${reason}.` })
  }
  const peers = Object.keys(ownManifest.peerDependencies).filter((name) => name.startsWith('@agentkit/'))
  const ours = ['agentkit', ...peers, '@agentkit/core', '@agentkit/server']
  const others = ours.flatMap((name) => {
    const found = installedVersion(name)
    return found === undefined || found === version ? [] : [{ name, found }]
  })
  for (const { name, found } of others) {
    findings.push({ status: 'fail', detail: `${name} is of version ${found}, and agentkit of ${version}.` })
  }
  const notInstalled = listedPackages().filter(
    (name) => !missing.includes(name) && installedVersion(name) === undefined,
  )
  if (notInstalled.length > 0) {
    const detail = `package.json lists ${notInstalled.join(', ')}, which is not installed.`
    return merged([{ status: 'fail', detail, fix: `${manager} install` }, ...findings], { status: 'ok', detail: '' })
  }
  const wanted = [...missing, ...others.map(({ name }) => `${name}@${version}`)]
  const found = merged(findings, { status: 'ok', detail: `All packages are of version ${version}.` })
  return wanted.length === 0 ? found : { ...found, fix: addCommand(manager, wanted) }
}

/** Our packages among the dependencies of the project. */
function listedPackages(): string[] {
  try {
    const { dependencies, devDependencies } = Object(JSON.parse(readFileSync('package.json', 'utf8')))
    const names = Object.keys({ ...Object(dependencies), ...Object(devDependencies) })
    return names.filter((name) => name === 'agentkit' || name.startsWith('@agentkit/'))
  } catch {
    // The check of package.json reports it.
    return []
  }
}

const littleBytes = 100_000_000
const fewBytes = 1_000_000_000

/** Checks that this folder and the data folder are writable and have room. */
export async function checkDisk(): Promise<CheckResult> {
  for (const folder of ['.', 'agentkit-data']) {
    const problem = folderProblem(folder)
    if (problem) return problem
  }
  const { bavail, bsize } = await statfs('.')
  const free = bavail * bsize
  const detail = `${(free / 1e9).toFixed(1)} GB are free.`
  if (free >= fewBytes) return { status: 'ok', detail }
  return { status: free < littleBytes ? 'fail' : 'warn', detail: `Only ${detail}`, fix: 'npm cache clean --force' }
}

function folderProblem(folder: string): CheckResult | undefined {
  const name = folder === '.' ? basename(process.cwd()) : folder
  try {
    const stats = statSync(folder, { throwIfNoEntry: false })
    if (!stats) return undefined
    if (!stats.isDirectory()) {
      return { status: 'fail', detail: `${name} is a file, where a folder is expected.`, fix: `mv ${name} ${name}.old` }
    }
    accessSync(folder, constants.R_OK | constants.W_OK | constants.X_OK)
    if (folder !== '.' && process.platform !== 'win32' && (stats.mode & 0o022) !== 0) {
      return { status: 'warn', detail: `Other users of this machine can write in ${name}.`, fix: `chmod 700 ${folder}` }
    }
    return undefined
  } catch (error) {
    const code = systemCode(error)
    if (code === 'EROFS') {
      const fix = 'Mount it so that it can be written, or run the agent in another folder.'
      return { status: 'fail', detail: `The disk of the folder ${name} is read-only (EROFS).`, fix }
    }
    return {
      status: 'fail',
      detail: `The folder ${name} cannot be read and written by this user (${code}).`,
      fix: `chmod u+rwx ${folder}`,
    }
  }
}
