import { existsSync, globSync, readFileSync } from 'node:fs'
import { basename, dirname, extname, join, relative, sep } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseSync, Visitor } from 'vite'

export const root: string = dirname(dirname(fileURLToPath(import.meta.url)))

export type Manifest = {
  name: string
  private?: boolean
  dependencies?: Record<string, string>
  peerDependencies?: Record<string, string>
  optionalDependencies?: Record<string, string>
  exports?: Record<string, string | Record<string, string>>
  [field: string]: unknown
}

export type Package = {
  /** Relative to the root: `packages/core`. */
  folder: string
  manifest: Manifest
  /** The published sources: `src` without tests and fixtures. */
  sources: Module[]
}

export type Module = {
  /** Relative to the root: `packages/core/src/runs/driver/run.ts`. */
  path: string
  imports: { from: string; how: 'static' | 'dynamic' | 'type' }[]
  exports: { name: string; isType: boolean; isDefault: boolean; isStar: boolean }[]
  /** Every string literal, as a package that is loaded by a computed name appears in one. */
  strings: Set<string>
}

/** The packages in `packages/` and `apps/`, with their parsed sources. */
export function readPackages(): Package[] {
  const files = codeFiles()
  return listPackages().map(({ folder, manifest }) => {
    const sources = files.filter((file) => file.startsWith(`${folder}/src/`) && !isTest(file))
    return { folder, manifest, sources: sources.map(readModule) }
  })
}

/** The packages in `packages/` and `apps/`, without their sources. */
export function listPackages(): Omit<Package, 'sources'>[] {
  return globSync('{packages,apps}/*/package.json', { cwd: root })
    .map(slashed)
    .sort()
    .map((path) => ({ folder: dirname(path), manifest: readJson<Manifest>(path) }))
}

/** All TypeScript and JavaScript files of the repository, tests included, relative to the root. */
export function codeFiles(): string[] {
  return textFiles().filter((file) => ['.ts', '.tsx', '.mjs'].includes(extname(file)))
}

let listed: string[] | undefined

/** All files of the repository, except those that .gitignore lists. Listed once: that takes half a second. */
export function textFiles(): readonly string[] {
  listed ??= listFiles()
  return listed
}

function listFiles(): string[] {
  const ignored = readText('.gitignore').split('\n').filter(Boolean)
  const isIgnored = (path: string) =>
    basename(path) === '.git' ||
    ignored.some((line) => (line.startsWith('*') ? path.endsWith(line.slice(1)) : `/${path}`.endsWith(`/${line}`)))
  return globSync('**/*', { cwd: root, withFileTypes: true, exclude: (entry) => isIgnored(fromRoot(entry)) })
    .filter((entry) => entry.isFile())
    .map(fromRoot)
    .filter((path) => !isIgnored(path))
    .sort()
}

const modules = new Map<string, Module>()

/** The imports and exports of a file, which is parsed once. */
export function readModule(path: string): Module {
  const known = modules.get(path) ?? parseModule(path)
  modules.set(path, known)
  return known
}

function parseModule(path: string): Module {
  const { module, program, errors } = parseSync(path, readText(path))
  if (errors.length > 0) throw new Error(`${path} does not parse: ${errors[0]?.message}`)

  const imports: Module['imports'] = module.staticImports.map(({ moduleRequest, entries }) => ({
    from: moduleRequest.value,
    how: entries.length > 0 && entries.every((entry) => entry.isType) ? 'type' : 'static',
  }))
  const exported = module.staticExports.flatMap(({ entries }) => entries)
  for (const { moduleRequest, isType } of exported) {
    if (moduleRequest) imports.push({ from: moduleRequest.value, how: isType ? 'type' : 'static' })
  }

  const strings = new Set<string>()
  new Visitor({
    ImportExpression: ({ source }) => {
      if (source.type === 'Literal') imports.push({ from: String(source.value), how: 'dynamic' })
    },
    TSImportType: ({ source }) => {
      imports.push({ from: source.value, how: 'type' })
    },
    Literal: ({ value }) => {
      if (typeof value === 'string') strings.add(value)
    },
  }).visit(program)

  const exports = exported.map(({ exportName, importName, isType }) => ({
    name: exportName.name ?? exportName.kind.toLowerCase(),
    isType,
    isDefault: exportName.kind === 'Default' || exportName.name === 'default',
    isStar: importName.kind === 'All' || importName.kind === 'AllButDefault',
  }))
  return { path, imports, exports, strings }
}

/** `@scope/name/sub/path` → `@scope/name`; undefined for relative paths and Node's own modules. */
export function packageNameOf(specifier: string): string | undefined {
  if (/^(\.|node:|#)/.test(specifier)) return undefined
  return specifier
    .split('/')
    .slice(0, specifier.startsWith('@') ? 2 : 1)
    .join('/')
}

export function isTest(path: string): boolean {
  return /\.test\.tsx?$|\/__fixtures__\//.test(path)
}

export function readJson<T>(path: string): T {
  return JSON.parse(readText(path)) as T // the callers read only files of the repository, which have these types
}

export function readText(path: string): string {
  return readFileSync(join(root, path), 'utf8')
}

export function exists(path: string): boolean {
  return existsSync(join(root, path))
}

function fromRoot(entry: { parentPath: string; name: string }): string {
  return slashed(relative(root, join(entry.parentPath, entry.name)))
}

function slashed(path: string): string {
  return path.split(sep).join('/')
}
