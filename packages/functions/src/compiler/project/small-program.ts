import type { ts } from 'ts-morph'
import { type TypeSources, typeSources } from './type-sources.ts'

/** Decides which imports and libraries a program of the user's files needs. */
export type SmallProgram = {
  /** Whether a file's import is to be followed. */
  follows(file: ts.SourceFile, specifier: string): boolean
  /** Called with the file that an import resolves to. */
  found(file: ts.SourceFile, specifier: string, path: string): void
  /**
   * Whether the program names types that may come from the DOM, from Node, or from the project's own global
   * declarations.
   */
  lacksLibraries(program: ts.Program): boolean
}

export function createSmallProgram(typescript: typeof ts): SmallProgram {
  const read = new WeakMap<ts.SourceFile, { sources: TypeSources | undefined }>()
  const ofAgentkit = new Set<string>()
  /** The imports of the user's files that were followed, as they are written. */
  const followed = new Set<string>()
  return {
    follows(file, specifier) {
      // A tool uses only the types of core. The other packages of agentkit would bring whole SDKs.
      if (ofAgentkit.has(file.fileName)) return isRelative(specifier) || specifier === '@agentkit/core'
      if (isInstalled(file)) return true
      const sources = sourcesOf(file)
      if (sources === undefined || sources.modules.has(specifier)) {
        followed.add(specifier)
        return true
      }
      // Files that add to types are read last. What they add to other packages concerns no function.
      return sources.augmented.has(specifier) && (isRelative(specifier) || followed.has(specifier))
    },
    found(file, specifier, path) {
      const isInside = ofAgentkit.has(file.fileName) && isRelative(specifier)
      if (isInside || /^(agentkit|@agentkit\/[^/]+)($|\/)/.test(specifier)) ofAgentkit.add(path)
    },
    lacksLibraries: (program) => program.getSourceFiles().some((file) => lacks(file, program)),
  }

  function lacks(file: ts.SourceFile, program: ts.Program): boolean {
    if (program.isSourceFileDefaultLibrary(file) || ofAgentkit.has(file.fileName)) return false
    const sources = isInstalled(file) ? undefined : sourcesOf(file)
    if (!sources) return true
    const { Type, Value, Namespace, Alias } = typescript.SymbolFlags
    const symbols = program.getTypeChecker().getSymbolsInScope(file, Type | Value | Namespace | Alias)
    const known = new Set(symbols.map(({ name }) => name))
    return [...sources.names].some((name) => !known.has(name))
  }

  function sourcesOf(file: ts.SourceFile): TypeSources | undefined {
    const known = read.get(file) ?? { sources: typeSources(typescript, file) }
    read.set(file, known)
    return known.sources
  }
}

function isRelative(specifier: string): boolean {
  return specifier.startsWith('.')
}

function isInstalled({ fileName }: ts.SourceFile): boolean {
  return fileName.includes('/node_modules/')
}
