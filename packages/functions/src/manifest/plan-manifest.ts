import { basename, dirname, join, resolve } from 'node:path'
import { AgentKitError } from '@agentkit/core'
import { loadTsMorph } from '../compiler/scope/load-ts-morph.ts'
import { compileFiles } from './compile-files.ts'
import { importStyle } from './import-style.ts'
import type { Manifest } from './manifest.ts'
import { posixRelative } from './posix-path.ts'
import { isNegated, selectFiles } from './select-files.ts'

export type PlanOptions = {
  patterns: readonly string[]
  /** The folder that patterns and `out` are relative to. */
  cwd: string
  out?: string | undefined
  /** Whether a warning is a problem. */
  strict: boolean
}

/** The content of a manifest to be written. */
export type ManifestPlan = {
  /** The absolute path of the module. */
  module: string
  manifest: Manifest
  /** The problems that prevent it from being written, with their locations. */
  problems: string[]
  warnings: string[]
  /** The command that writes the same manifest, from `cwd`. */
  command: string
}

/**
 * Compiles the exported functions of files.
 * @throws AgentKitError `invalid-argument` if there is no file or no function; `missing-package` without ts-morph
 */
export function planManifest({ patterns, cwd, out, strict }: PlanOptions): ManifestPlan {
  const { files: found, folder } = selectFiles(patterns, cwd)
  const usual = join(folder, defaultName(found))
  const module = out === undefined ? usual : moduleNamed(out, cwd)
  const files = found.filter((file) => file !== module)
  const { functions, problems, warnings } = compileFiles(files, module)
  if (functions.length === 0 && problems.length === 0) throw noFunction(patterns, files, cwd)
  const { attachFrom, specifierOf } = importStyle(loadTsMorph().ts, module)
  return {
    module,
    manifest: {
      header: { file: basename(module), patterns: patterns.map((pattern) => rebased(pattern, cwd, dirname(module))) },
      attachFrom,
      functions: functions.map(({ file, path, compiled }) => ({ from: specifierOf(file), path, compiled })),
    },
    problems: strict ? [...problems, ...warnings] : problems,
    warnings: strict ? [] : warnings,
    command: [
      'agentkit tools build',
      ...patterns.map(shellQuoted),
      ...(module === usual ? [] : ['--out', shellQuoted(posixRelative(cwd, module))]),
    ].join(' '),
  }
}

/** The same pattern, seen from another folder. */
export function rebased(pattern: string, from: string, to: string): string {
  if (isNegated(pattern)) return `!${rebased(pattern.slice(1), from, to)}`
  return posixRelative(to, resolve(from, pattern))
}

function defaultName(files: readonly string[]): string {
  return files.some((file) => /\.[cm]?tsx?$/.test(file)) ? 'agentkit-tools.ts' : 'agentkit-tools.js'
}

function moduleNamed(out: string, cwd: string): string {
  if (/(?<!\.d)\.m?[jt]s$/.test(out)) return resolve(cwd, out)
  throw new AgentKitError(
    'invalid-argument',
    `A manifest is a module, and "${out}" is none. Name a .ts, .mts, .js or .mjs file.`,
  )
}

function shellQuoted(text: string): string {
  return /^[\w./@-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`
}

function noFunction(patterns: readonly string[], files: readonly string[], cwd: string): AgentKitError {
  const some = files.slice(0, 5).map((file) => posixRelative(cwd, file))
  const listed = [...some, ...(files.length > some.length ? ['…'] : [])].join(', ')
  const looked = patterns.map((pattern) => `'${pattern}'`).join(' ')
  return new AgentKitError(
    'invalid-argument',
    `No function is exported by what ${looked} finds (${listed}). Export the functions that are tools. Of a file that ` +
      'exports those of other files (export … from), name the other files.',
  )
}
