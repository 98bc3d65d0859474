import { readFileSync } from 'node:fs'
import { createRequire, type LoadFnOutput, type LoadHookContext, type LoadHookSync } from 'node:module'
import { dirname, join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { insertAttachments } from '../compiler/insert-attachments.ts'
import type { FunctionFiles } from './function-files.ts'
import { nearestFolder } from './nearest-folder.ts'

/** The name of the global function that inserted calls use. A string, because a module may shadow `Symbol`. */
export const globalAttach = 'agentkit.attachTool'

/** Node's formats of modules that may have functions of users. Node resolves the last one when it runs the module. */
const formats: ReadonlySet<unknown> = new Set([
  'module',
  'commonjs',
  'module-typescript',
  'commonjs-typescript',
  'typescript',
])

/**
 * A hook of Node's module loader that inserts calls which attach tools to a file's functions.
 * @param warn called if another hook has removed the types before this one
 * @param nodeVersion of the running Node
 */
export function createLoadHook(
  files: Pick<FunctionFiles, 'plan'>,
  warn: (warning: string) => void,
  nodeVersion: string = process.versions.node,
): LoadHookSync {
  let hasWarned = false
  const isLimited = limitsRequire(nodeVersion)
  return (url, context, nextLoad) => {
    const loaded = withCalls(url, asModule(url, nextLoad(url, context), context))
    const leaveToRequire = isLimited && loaded.format?.startsWith('commonjs') && isImported(context)
    // Node's own name for CommonJS that `require` runs.
    return leaveToRequire ? { ...loaded, format: 'commonjs-sync' } : loaded
  }

  function withCalls(url: string, loaded: LoadFnOutput): LoadFnOutput {
    if (!isOwnFile(url) || !formats.has(loaded.format) || !loaded.source) return loaded
    const text = sourceText(loaded.source)
    if (!mayHaveFunctions.test(text)) return loaded
    if (hasLostTypes(url, loaded, text)) {
      if (!hasWarned) warn(lostTypes(url))
      hasWarned = true
      return loaded
    }
    const plan = files.plan(url, fileURLToPath(url), text)
    if (plan.length === 0) return loaded
    const id = JSON.stringify(url)
    const call = (index: number, reference: string): string =>
      `globalThis[${JSON.stringify(globalAttach)}]?.(${id},${index},${reference})`
    return { ...loaded, source: insertAttachments(text, plan, call) }
  }
}

/**
 * A file with `import` or `export` in a package of `"type": "commonjs"`, which `npm init -y` writes, is a module: Node would
 * refuse it. Where the type is absent, Node looks for itself.
 */
function asModule(url: string, loaded: LoadFnOutput, context: LoadHookContext): LoadFnOutput {
  const format = moduleFormats[loaded.format ?? '']
  if (format === undefined || !isOwnFile(url) || !isImported(context) || !/\.[jt]sx?(?:\?|$)/.test(url)) return loaded
  const source = loaded.source ?? readFileSync(fileURLToPath(url))
  if (!hasModuleSyntax(sourceText(source)) || !isInCommonJSPackage(fileURLToPath(url))) return loaded
  return { ...loaded, format, source }
}

function isInCommonJSPackage(path: string): boolean {
  const folder = nearestFolder(dirname(path), 'package.json')
  if (folder === undefined) return false
  try {
    return JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')).type === 'commonjs'
  } catch {
    // Node reports files that it cannot read.
    return false
  }
}

const moduleFormats: Readonly<Record<string, string>> = {
  commonjs: 'module',
  'commonjs-typescript': 'module-typescript',
}

function hasModuleSyntax(text: string): boolean {
  if (/\bimport\.meta\b/.test(text)) return true
  const isCommonJS = /\bmodule\.exports\b|^exports\.|=\s*require\(|^export\s*=/m.test(text)
  return !isCommonJS && /^[ \t]*(?:import\b(?!\s*\()|export\b)/m.test(text)
}

/**
 * Whether CommonJS that is imported while there are hooks gets a `require` that finds no ES modules, installed packages
 * included. Fixed in Node 22.23 and 24.15.
 */
function limitsRequire(nodeVersion: string): boolean {
  const [major = 0, minor = 0] = nodeVersion.split('.').map(Number)
  const fixedIn: Record<number, number> = { 22: 23, 24: 15 }
  return major < 26 && minor < (fixedIn[major] ?? Number.POSITIVE_INFINITY)
}

/** In older versions of Node, `conditions` is a Set, contrary to its type. */
function isImported({ conditions }: LoadHookContext): boolean {
  return new Set(conditions).has('import')
}

/** Node marks TypeScript by its format; another hook may have compiled it to JavaScript. */
function hasLostTypes(url: string, { format }: LoadFnOutput, text: string): boolean {
  if (!/\.[cm]?tsx?$/.test(fileURLToPath(url)) || format?.endsWith('typescript')) return false
  return readFileSync(fileURLToPath(url), 'utf8') !== text
}

function lostTypes(url: string): string {
  return (
    `agentkit/register: another loader has removed the types of ${fileURLToPath(url)}, so its functions cannot be tools. ` +
    'Name agentkit first: node --import agentkit/register --import tsx app.ts'
  )
}

/** A cheap test that excludes files with only types and constants. */
const mayHaveFunctions = /\bfunction\b|\bclass\b|=>|\)\s*[:{]/

/** The compiler's own files, which are loaded while hooks are active: its sources, or the built file and its chunks. */
const compiler = pathToFileURL(createRequire(import.meta.url).resolve('#compiler'))
const compilers = ['./compiler', './chunks/'].map((path) => new URL(path, compiler).href)

/** Node's URLs have real paths: a package linked into node_modules is a source of the user. */
function isOwnFile(url: string): boolean {
  if (!url.startsWith('file:') || url.includes('/node_modules/')) return false
  return !compilers.some((own) => url.startsWith(own))
}

function sourceText(source: string | ArrayBuffer | NodeJS.TypedArray): string {
  if (typeof source === 'string') return source
  // With its byte order mark, if any, because offsets count from the beginning of the text.
  return new TextDecoder('utf-8', { ignoreBOM: true }).decode(source)
}
