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

export type BuildManifestOptions = {
  /** Patterns (`src/**\/*.ts`), files and folders; `!` in front takes away. */
  patterns: readonly string[]
  /** The folder that the patterns and `out` are relative to; the working directory when absent. */
  cwd?: string | undefined
  /** The module to write; `agentkit-tools.ts` (or `.js`) in the folder that all patterns share when absent. */
  out?: string | undefined
  /** Whether a warning is a problem. */
  strict?: boolean | undefined
}

export type ManifestBuild = {
  /** The module, relative to the working directory. */
  file: string
  /** How many functions are tools. */
  functions: number
  /** What keeps functions from being tools, with file and line. While there is any, nothing is written. */
  problems: string[]
  /** What models are not told, with file and line. */
  warnings: string[]
}

/**
 * Compiles the exported functions of files and writes one module that attaches their tools. The app imports it once,
 * and needs no compiler then. A module that says the same in another formatting is left as it is.
 *
 * @throws AgentKitError `invalid-argument` where the patterns find no file or no function, and where another file is
 *   in the module's place; `missing-package` without ts-morph
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

/** The text of a file; `undefined` where there is none. */
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
