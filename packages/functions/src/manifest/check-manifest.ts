import { globSync, readFileSync } from 'node:fs'
import { basename, dirname, resolve } from 'node:path'
import { AgentKitError } from '@agentkit/core'
import { loadTsMorph } from '../compiler/scope/load-ts-morph.ts'
import { readIfThere } from './build-manifest.ts'
import { manifestDifferences } from './compare-manifests.ts'
import { readHeader } from './header.ts'
import type { Manifest, ManifestHeader } from './manifest.ts'
import { type ManifestPlan, planManifest, rebased } from './plan-manifest.ts'
import { posixPath, posixRelative } from './posix-path.ts'
import { readManifest } from './read-manifest.ts'
import { isNeverWalked } from './select-files.ts'

/** Which manifest is compared with which files. */
export type CheckManifestOptions = {
  /** The patterns of the manifest; default: those in its header. */
  patterns?: readonly string[] | undefined
  /** The folder that the patterns and `out` are relative to; default: the working directory. */
  cwd?: string | undefined
  /** The manifest. Without it and without patterns, every `agentkit-tools` module below the working directory. */
  out?: string | undefined
  /** Whether a warning is a problem. */
  strict?: boolean | undefined
}

/** The differences between a manifest and its sources. */
export type ManifestCheck = {
  /** The manifest, relative to the working directory. */
  file: string
  /** How many functions are tools. */
  functions: number
  /** The changes that `buildManifest` would make, in words; empty if the manifest is up to date. */
  differences: string[]
  /** The reasons why functions cannot be tools, with file and line. */
  problems: string[]
  /** Missing descriptions, with file and line. */
  warnings: string[]
  /** The command that updates the manifest. */
  command: string
}

/**
 * Compiles the sources of manifests again and compares the results. Formatting does not matter.
 *
 * @throws AgentKitError `invalid-argument` if there is no manifest, or the patterns match no file or no function;
 *   `missing-package` without ts-morph
 * @example
 * const stale = checkManifest().filter(({ differences }) => differences.length > 0)
 */
export function checkManifest(options: CheckManifestOptions = {}): ManifestCheck[] {
  const { patterns = [], cwd = process.cwd(), out, strict = false } = options
  if (patterns.length > 0) return [compared(planManifest({ patterns, cwd, out, strict }), cwd)]
  const modules = out === undefined ? findManifests(cwd) : [resolve(cwd, out)]
  return modules.map((module) => {
    const folder = dirname(module)
    const own = headerOf(module, cwd).patterns.map((pattern) => rebased(pattern, folder, cwd))
    return compared(planManifest({ patterns: own, cwd, out: module, strict }), cwd)
  })
}

function compared({ module, manifest, problems, warnings, command }: ManifestPlan, cwd: string): ManifestCheck {
  return {
    file: posixRelative(cwd, module),
    functions: manifest.functions.length,
    // Functions with problems have no data to compare.
    differences: problems.length > 0 ? [] : differencesFrom(module, manifest),
    problems,
    warnings,
    command,
  }
}

function differencesFrom(module: string, wanted: Manifest): string[] {
  const text = readIfThere(module)
  if (text === undefined) return ['it does not exist']
  const written = readManifest(loadTsMorph().ts, text)
  return written
    ? manifestDifferences(written, wanted)
    : ['it has something that `agentkit tools build` does not write']
}

function findManifests(cwd: string): string[] {
  const modules = globSync('**/agentkit-tools.{ts,mts,js,mjs}', { cwd, exclude: isNeverWalked })
    .map((file) => resolve(cwd, file))
    .filter((file) => !isCompilerOutput(file))
    .sort()
  if (modules.length > 0) return modules
  throw new AgentKitError(
    'invalid-argument',
    `No agentkit-tools module is found in ${posixPath(cwd)}. Write one: agentkit tools build 'src/**/*.ts'. ` +
      'Name one that is called otherwise by --out.',
  )
}

function isCompilerOutput(file: string): boolean {
  return /js$/.test(file) && readHeader(readFileSync(file, 'utf8'))?.file !== basename(file)
}

function headerOf(module: string, cwd: string): ManifestHeader {
  const text = readIfThere(module)
  const header = text === undefined ? undefined : readHeader(text)
  if (header) return header
  const problem = text === undefined ? 'does not exist' : 'does not say in its first lines what it was built from'
  throw new AgentKitError(
    'invalid-argument',
    `${posixRelative(cwd, module)} ${problem}. Run agentkit tools build with the patterns of its files.`,
  )
}
