import { dirname } from 'node:path'
import type { ts } from 'ts-morph'

/** What a project's tsconfig.json says. */
export type Tsconfig = {
  options: ts.CompilerOptions
  /** The files that it was read from: itself and what it extends. */
  sources: string[]
  /** The project's files that declare global types. */
  declarations(): string[]
}

/** The nearest tsconfig.json of a file; what Node itself goes by where there is none. */
export function readTsconfig(typescript: typeof ts, path: string): Tsconfig {
  const { ModuleKind, ModuleResolutionKind, ScriptTarget, sys } = typescript
  const place = typescript.findConfigFile(dirname(path), sys.fileExists)
  const sources: string[] = []
  let declarations: string[] | undefined
  const parsed = place === undefined ? undefined : parse(place, () => [])
  const options: ts.CompilerOptions = parsed?.options ?? {
    target: ScriptTarget.ESNext,
    module: ModuleKind.NodeNext,
    moduleResolution: ModuleResolutionKind.NodeNext,
    strict: true,
    types: ['node'],
  }
  return {
    // Types are only read, and an optional parameter is to be told from one that may be null in every project.
    options: {
      ...options,
      allowJs: true,
      checkJs: false,
      noEmit: true,
      composite: false,
      incremental: false,
      skipLibCheck: true,
      strictNullChecks: true,
    },
    sources,
    declarations() {
      declarations ??= place === undefined ? [] : findDeclarations(place)
      return declarations
    },
  }

  function findDeclarations(file: string): string[] {
    const endings = ['.d.ts', '.d.mts', '.d.cts']
    const all = parse(file, (root, _endings, ...rest) => sys.readDirectory(root, endings, ...rest))
    return all?.fileNames.filter((name) => endings.some((ending) => name.endsWith(ending))) ?? []
  }

  function parse(file: string, readDirectory: ts.ParseConfigHost['readDirectory']): ts.ParsedCommandLine | undefined {
    const host: ts.ParseConfigFileHost = {
      ...sys,
      readDirectory,
      readFile(name) {
        if (!sources.includes(name)) sources.push(name)
        return sys.readFile(name)
      },
      // What can be read of it is used. The user's own compiler says what is wrong with the rest.
      onUnRecoverableConfigFileDiagnostic() {},
    }
    return typescript.getParsedCommandLineOfConfigFile(file, undefined, host)
  }
}
