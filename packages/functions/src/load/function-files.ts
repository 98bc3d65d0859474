import { readFileSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import { isAgentKitError, toolOfFunction } from '@agentkit/core'
import type { FoundFunction } from '../compiler/find/find-functions.ts'
import type { Insertion } from '../compiler/insert-attachments.ts'
import type { TypedProject } from '../compiler/project/project.ts'
import { loadTsMorph } from '../compiler/scope/load-ts-morph.ts'
import { attachTool } from '../runtime/attach-tool.ts'
import type { CompiledFunction } from '../runtime/compiled-function.ts'
import type { CachedFile, CachedTool } from './cached-file.ts'
import { type CompileCache, digest } from './compile-cache.ts'
import { loadCompiler } from './load-compiler.ts'
import { nearestFolder } from './nearest-folder.ts'

/** The files of a process whose functions may be tools. They are compiled when they are used as such. */
export type FunctionFiles = {
  /** The insertions of {@link FunctionFiles.attach} calls in a file that is being loaded. */
  plan(id: string, path: string, text: string): readonly Insertion[]
  /** Attaches its tool to a function: the one with this index in the file that was planned under this id. */
  attach(id: string, index: number, value: unknown): void
  /** Stores compiled functions for the next start. */
  save(): void
}

export type FunctionFilesOptions = {
  cache: CompileCache
  compile(found: FoundFunction, project: TypedProject): CachedTool
  /** Called once for each warning. */
  warn(warning: string): void
}

/** The delay of a save, so that several compilations are saved together. */
const saveDelayMs = 1_000

type LoadedFile = CachedFile & {
  path: string
  text: string
  /** Whether the cached data has been compared with its dependencies. */
  isChecked: boolean
  /** Whether it has data that is not cached yet. */
  isNew: boolean
  /** The project that compiled its functions since the last save. */
  project?: TypedProject | undefined
}

export function createFunctionFiles({ cache, compile, warn }: FunctionFilesOptions): FunctionFiles {
  const files = new Map<string, LoadedFile>()
  const projects = new Map<string | undefined, TypedProject>()
  const digests = new Map<string, string>()
  const warned = new Set<string>()
  let timer: NodeJS.Timeout | undefined
  return {
    plan(id, path, text) {
      const cached = cache.read(path, text)
      const plan = cached?.plan ?? makePlan(path, text)
      if (!plan) return []
      files.set(id, { tools: {}, dependencies: {}, ...cached, plan, path, text, isChecked: !cached, isNew: !cached })
      if (!cached) saveSoon()
      return plan
    },
    attach(id, index, value) {
      const file = files.get(id)
      if (file) attachTool(value, () => compiledFunction(file, index))
    },
    save,
  }

  function compiledFunction(file: LoadedFile, index: number): CompiledFunction {
    if (!file.isChecked && hasChanged(file.dependencies)) file.tools = {}
    file.isChecked = true
    const tool = file.tools[index] ?? compileTool(file, index)
    for (const warning of tool.warnings) {
      if (!warned.has(warning)) warn(warning)
      warned.add(warning)
    }
    return tool.compiled
  }

  function hasChanged(dependencies: Record<string, string>, project?: TypedProject): boolean {
    return Object.entries(dependencies).some(([path, before]) => digestOf(path, project) !== before)
  }

  function compileTool(file: LoadedFile, index: number): CachedTool {
    // Saves even if the compilation fails, because saving releases the project.
    saveSoon()
    const project = file.project ?? projectOf(file.path)
    const source = project.sourceFile(file.path, file.text)
    // All cached tools of a file are of the same state of its dependencies.
    if (!file.project && hasChanged(file.dependencies, project)) file.tools = {}
    file.project = project
    // The text that was planned has the same functions.
    const { findFunctions } = loadCompiler()
    const tool = compile(findFunctions(project.ts, source)[index] as FoundFunction, project)
    file.tools[index] = tool
    file.isNew = true
    return tool
  }

  /** Files of one tsconfig.json share a project. */
  function projectOf(path: string): TypedProject {
    const folder = folderOfProject(path)
    const known = projects.get(folder)
    if (known) return known
    const paths = [...files.values()].filter(({ plan }) => plan.length > 0).map((file) => file.path)
    const project = loadCompiler().openProject([path, ...paths.filter((other) => folderOfProject(other) === folder)], {
      lib: 'small',
    })
    projects.set(folder, project)
    return project
  }

  function saveSoon(): void {
    timer ??= setTimeout(save, saveDelayMs).unref()
  }

  function save(): void {
    clearTimeout(timer)
    timer = undefined
    for (const file of files.values()) if (file.isNew) saveFile(file)
    // A type checker may take more memory than the app.
    projects.clear()
  }

  function saveFile(file: LoadedFile): void {
    const { path, text, plan, tools, project } = file
    if (project) {
      const [, ...others] = project.dependencies(path)
      file.dependencies = Object.fromEntries(others.map((other) => [other, digestOf(other, project)]))
    }
    cache.write(path, text, { plan, tools, dependencies: file.dependencies })
    file.isNew = false
    file.project = undefined
  }

  /** The digest of the text that the project has read, which may have changed since. */
  function digestOf(path: string, project?: TypedProject): string {
    const isInstalled = path.includes('/node_modules/')
    const known = isInstalled ? undefined : project?.textOf(path)
    if (known !== undefined) return digest(known)
    const onDisk = digests.get(path) ?? (isInstalled ? lastChange(path) : digestOnDisk(path))
    digests.set(path, onDisk)
    return onDisk
  }
}

/** Packages have many files that rarely change. */
function lastChange(path: string): string {
  const { mtimeMs, size } = statSync(path, { throwIfNoEntry: false }) ?? {}
  return `${mtimeMs} ${size}`
}

function digestOnDisk(path: string): string {
  try {
    return digest(readFileSync(path, 'utf8').replace(/^\uFEFF/, ''))
  } catch {
    return 'none'
  }
}

function folderOfProject(path: string): string | undefined {
  return nearestFolder(dirname(path), 'tsconfig.json')
}

/** Undefined if ts-morph is missing. */
function makePlan(path: string, text: string): Insertion[] | undefined {
  try {
    const { ts } = loadTsMorph()
    const { findFunctions, planAttachments, syntaxErrors } = loadCompiler()
    const file = ts.createSourceFile(path, text, ts.ScriptTarget.ESNext, true)
    // Node reports syntax errors best.
    return syntaxErrors(file).length > 0 ? [] : planAttachments(ts, file, findFunctions(ts, file))
  } catch (error) {
    if (!isAgentKitError(error)) throw error
    refuseFunctions()
    return undefined
  }
}

/** Without ts-morph no functions are found; using one as a tool throws the error. */
function refuseFunctions(): void {
  if (Object.hasOwn(Function.prototype, toolOfFunction)) return
  Object.defineProperty(Function.prototype, toolOfFunction, {
    get() {
      loadTsMorph()
    },
    // A tool can still be attached manually.
    set(value: unknown) {
      Object.defineProperty(this, toolOfFunction, { value, writable: true, configurable: true })
    },
  })
}
