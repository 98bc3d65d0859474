import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { AgentKitError } from '@agentkit/core'
import { loadTsMorph } from '../compiler/scope/load-ts-morph.ts'
import { manifestDifferences } from './compare-manifests.ts'
import { formatManifest } from './format-manifest.ts'
import { readHeader } from './header.ts'
import { type ManifestPlan, planManifest } from './plan-manifest.ts'
import { posixPath, posixRelative } from './posix-path.ts'
import { readManifest } from './read-manifest.ts'

/** Which files a manifest is built from. */
export type BuildManifestOptions = {
  /** Patterns (`src/**\/*.ts`), files and folders; a leading `!` excludes. */
  patterns: readonly string[]
  /** The folder that the patterns and `out` are relative to; default: the working directory. */
  cwd?: string | undefined
  /** The module to write; `agentkit-tools.ts` (or `.js`) by default in the common folder of all patterns. */
  out?: string | undefined
  /** Whether a warning is a problem. */
  strict?: boolean | undefined
}

/** The result of a build of a manifest. */
export type ManifestBuild = {
  /** The module, relative to the working directory. */
  file: string
  /** How many functions are tools. */
  functions: number
  /** The reasons why functions cannot be tools, with file and line. If there are any, nothing is written. */
  problems: string[]
  /** Missing descriptions, with file and line. */
  warnings: string[]
}

/**
 * Compiles the exported functions of files and writes one module that attaches their tools. The app imports it once,
 * and then needs no compiler. A module that differs only in formatting is not rewritten.
 *
 * @throws AgentKitError `invalid-argument` if the patterns match no file or no function, and if another file is
 *   at the module's path; `missing-package` without ts-morph
 * @example
 * const { file, problems } = buildManifest({ patterns: ['src/**\/*.ts'] })
 */
export function buildManifest({
  patterns,
  cwd = process.cwd(),
  out,
  strict = false,
}: BuildManifestOptions): ManifestBuild {
  const plan = planManifest({ patterns, cwd, out, strict })
  if (plan.problems.length === 0) write(plan, cwd)
  return {
    file: posixRelative(cwd, plan.module),
    functions: plan.manifest.functions.length,
    problems: plan.problems,
    warnings: plan.warnings,
  }
}

function write({ module, manifest }: ManifestPlan, cwd: string): void {
  const text = readIfThere(module)
  if (text !== undefined) {
    if (!readHeader(text)) throw otherFile(posixRelative(cwd, module))
    const written = readManifest(loadTsMorph().ts, text)
    if (written && manifestDifferences(written, manifest).length === 0) return
  }
  mkdirSync(dirname(module), { recursive: true })
  writeFileSync(module, formatManifest(manifest))
}

/** The text of a file; `undefined` if it does not exist. */
export function readIfThere(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8')
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined
    throw error
  }
}

function otherFile(file: string): AgentKitError {
  return new AgentKitError(
    'invalid-argument',
    `${posixPath(file)} is not from \`agentkit tools build\`, so it is not overwritten. Delete it, or name another file by --out.`,
  )
}
