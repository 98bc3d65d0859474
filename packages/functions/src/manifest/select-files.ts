import { globSync, statSync } from 'node:fs'
import { basename, dirname, relative, resolve } from 'node:path'
import { AgentKitError } from '@agentkit/core'
import { posixPath, posixRelative } from './posix-path.ts'

export type SelectedFiles = {
  /** Absolute, sorted. */
  files: string[]
  /** The folder that all patterns are in. */
  folder: string
}

/**
 * The source files of patterns, files and folders; a leading `!` excludes.
 * @param cwd the folder that they are relative to
 * @throws AgentKitError `invalid-argument` where there is no file, or none for one of them
 */
export function selectFiles(patterns: readonly string[], cwd: string): SelectedFiles {
  const wanted = patterns.filter((pattern) => !isNegated(pattern))
  const unwanted = patterns.filter(isNegated).flatMap((pattern) => expand(pattern.slice(1), cwd))
  const expanded = wanted.map((pattern) => ({ pattern, files: expand(pattern, cwd) }))
  const missed = expanded.filter(({ files }) => files.length === 0).map(({ pattern }) => pattern)
  const found = new Set(expanded.flatMap(({ files }) => files))
  for (const file of unwanted) found.delete(file)
  const files = [...found].filter((file) => isToolSource(relative(cwd, file)) && !isCompiledBeside(file, found))
  if (missed.length > 0 || files.length === 0) throw nothingFound(missed.length > 0 ? missed : patterns, cwd)
  const byPosixPath = (left: string, right: string) => (posixPath(left) < posixPath(right) ? -1 : 1)
  return { files: files.sort(byPosixPath), folder: commonFolder(wanted.map((pattern) => folderOf(pattern, cwd))) }
}

export function isNegated(pattern: string): boolean {
  return pattern.startsWith('!')
}

/** Whether a pattern names one file, as a shell leaves it of a pattern without quotes. */
function isFile(path: string, cwd: string): boolean {
  return statSync(resolve(cwd, path), { throwIfNoEntry: false })?.isFile() ?? false
}

/** For `exclude` of `globSync`: the folders that are never searched. */
export function isNeverWalked(path: string): boolean {
  return isHiddenPart(basename(path))
}

function expand(pattern: string, cwd: string): string[] {
  const path = resolve(cwd, pattern)
  if (isFile(pattern, cwd)) return [path]
  // A folder's name may have characters that mean something in a pattern: `[id]`.
  const [place, glob] = isFolder(path) ? [path, '**/*'] : [cwd, posixPath(pattern)]
  return globSync(glob, { cwd: place, exclude: isNeverWalked })
    .map((file) => resolve(place, file))
    .filter((file) => isFile(file, cwd))
}

function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false
}

function isToolSource(path: string): boolean {
  const parts = posixPath(path).split('/')
  const name = parts.at(-1) ?? ''
  const isSource = /\.[cm]?[jt]sx?$/.test(name) && !/\.(d\.[cm]?ts|(test|spec)\.[cm]?[jt]sx?)$/.test(name)
  return isSource && !/^agentkit-tools\.[cm]?[jt]s$/.test(name) && !parts.some(isHiddenPart)
}

function isHiddenPart(part: string): boolean {
  return part === 'node_modules' || part === '__fixtures__' || /^\.[^.]/.test(part)
}

/** `chain.js` beside `chain.ts` is the compiled file. */
function isCompiledBeside(file: string, all: ReadonlySet<string>): boolean {
  const source = file.replace(/\.([cm]?)jsx?$/, '.$1ts')
  return source !== file && (all.has(source) || all.has(`${source}x`))
}

/** The folder of a pattern's files: the part of the pattern without wildcards. */
function folderOf(pattern: string, cwd: string): string {
  if (isFile(pattern, cwd)) return dirname(resolve(cwd, pattern))
  if (isFolder(resolve(cwd, pattern))) return resolve(cwd, pattern)
  const parts = posixPath(pattern).split('/')
  const firstGlob = parts.findIndex((part) => /[*?[{]|[+@!]\(/.test(part))
  return resolve(cwd, parts.slice(0, firstGlob).join('/') || (pattern.startsWith('/') ? '/' : '.'))
}

function commonFolder(folders: readonly string[]): string {
  return folders.reduce((common, folder) => {
    let shared = common
    while (/^\.\.(\/|$)/.test(posixRelative(shared, folder))) shared = dirname(shared)
    return shared
  })
}

function nothingFound(patterns: readonly string[], cwd: string): AgentKitError {
  const looked = patterns.map((pattern) => `'${pattern}'`).join(' ')
  return new AgentKitError(
    'invalid-argument',
    `No TypeScript or JavaScript file is found by ${looked || 'no pattern'} in ${posixPath(cwd)}. ` +
      'Never looked at: node_modules, hidden folders, __fixtures__, *.d.ts, *.test.*, *.spec.* and manifests.',
  )
}
