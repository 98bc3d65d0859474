import { AgentKitError } from '@agentkit/core'
import type { ts } from 'ts-morph'
import { loadTsMorph, type TsMorph } from '../scope/load-ts-morph.ts'
import { createCompilerHost } from './compiler-host.ts'
import { decisiveFiles } from './decisive-files.ts'
import { createModuleResolver } from './module-resolver.ts'
import { createSmallProgram } from './small-program.ts'
import { readTsconfig } from './tsconfig.ts'

/** Files and their types, as TypeScript sees them. */
export type TypedProject = {
  readonly ts: typeof ts
  /** The file as the checker sees it. `text`: if it differs from the disk (in a bundler). */
  sourceFile(path: string, text?: string): ts.SourceFile
  /** The checker of the files that were requested up to now: read it after {@link TypedProject.sourceFile}. */
  readonly checker: ts.TypeChecker
  /**
   * The files that a file's types may depend on, as absolute paths: itself, then others. Some may not exist, and matter if
   * they are created.
   */
  dependencies(path: string): string[]
  /** The text of a file, if this project has read it. */
  textOf(path: string): string | undefined
  /** The same files with every library and import; itself when it has them. For types that are not found. */
  complete(): TypedProject
}

export type ProjectOptions = {
  /**
   * `own`: the libraries of the tsconfig.json's `lib` and `types` (the DOM, Node, …), and all imports. `small`: only
   * the part that the files' types seem to need. It takes a quarter of the time, and gives the same types, except types
   * that are then not found.
   */
  lib: 'small' | 'own'
}

/**
 * Opens the project of these files: the nearest tsconfig.json of the first; without one, Node's own rules.
 * @param paths the files that will be asked for, as far as they are known: one program serves them all
 * @throws AgentKitError `missing-package` if ts-morph is not installed
 */
export function openProject(paths: readonly string[], { lib }: ProjectOptions = { lib: 'own' }): TypedProject {
  return createProject(loadTsMorph(), paths, new Map(), lib)
}

function createProject(
  tsMorph: TsMorph,
  paths: readonly string[],
  texts: Map<string, string>,
  lib: ProjectOptions['lib'],
): TypedProject {
  const { ts: typescript } = tsMorph
  const { resolvePath } = typescript.sys
  const roots = new Set(paths.map((path) => resolvePath(path)))
  const [first = resolvePath('index.ts')] = roots
  const tsconfig = readTsconfig(typescript, first)
  const small = lib === 'small' ? createSmallProgram(typescript) : undefined
  const host = createCompilerHost(tsMorph, tsconfig.options, texts)
  const resolver = createModuleResolver(typescript, host, small)
  host.resolveModuleNameLiterals = resolver.resolveModuleNameLiterals
  let hasLibraries = !small
  let program: ts.Program | undefined
  let isCurrent = false
  let complete: TypedProject | undefined
  return {
    ts: typescript,
    sourceFile(path, text) {
      const name = resolvePath(path)
      add(name, text?.replace(/^\uFEFF/, ''))
      const file = currentProgram().getSourceFile(name)
      if (!file) throw new AgentKitError('not-found', `TypeScript cannot read ${path}.`)
      return file
    },
    get checker() {
      return currentProgram().getTypeChecker()
    },
    dependencies(path) {
      if (complete) return complete.dependencies(path)
      const name = resolvePath(path)
      const decisive = decisiveFiles(name, currentProgram(), resolver)
      return [...decisive, ...tsconfig.sources, ...declarations()]
    },
    textOf: (path) => complete?.textOf(path) ?? currentProgram().getSourceFile(resolvePath(path))?.text,
    complete() {
      if (lib === 'own') return this
      complete ??= createProject(tsMorph, [...roots], texts, 'own')
      return complete
    },
  }

  function add(name: string, text: string | undefined): void {
    const known = program?.getSourceFile(name)
    if (known && (text ?? known.text) === known.text) return
    if (text !== undefined) texts.set(name, text)
    roots.add(name)
    isCurrent = false
  }

  function currentProgram(): ts.Program {
    if (program && isCurrent) return program
    program = createProgram()
    isCurrent = true
    if (hasLibraries || !small?.lacksLibraries(program)) return program
    hasLibraries = true
    program = createProgram()
    return program
  }

  function createProgram(): ts.Program {
    const { options } = tsconfig
    return typescript.createProgram({
      rootNames: [...roots, ...declarations()],
      options: hasLibraries ? options : { ...options, lib: ['lib.esnext.d.ts'], types: [] },
      host,
      ...(program && { oldProgram: program }),
    })
  }

  function declarations(): string[] {
    return hasLibraries ? tsconfig.declarations() : tsconfig.augmentations()
  }
}
