import type { ts } from 'ts-morph'
import type { TsMorph } from '../scope/load-ts-morph.ts'

type Settings = ts.ScriptTarget | ts.CreateSourceFileOptions

/** The folder of the language's own types: in ts-morph, with the file names of TypeScript's package. */
const libraryFolder = '/node_modules/typescript/lib'

/** The language's own types, parsed: the same for each program of one language version, and most of what it parses. */
const parsedLibraries = new Map<string, WeakRef<ts.SourceFile>>()

/**
 * How a program reads files: each once, and the language's own types from ts-morph.
 *
 * ts-morph's own project is not used: it does not distinguish ES modules from CommonJS, and so does not find the
 * types of packages that are for `import` alone.
 *
 * @param texts the texts of files that differ from the disk, by path
 */
export function createCompilerHost(
  { ts: typescript, Project }: TsMorph,
  options: ts.CompilerOptions,
  texts: ReadonlyMap<string, string>,
): ts.CompilerHost {
  const host = typescript.createCompilerHost(options)
  const { fileExists, readFile } = host
  const libraries = new Project().getModuleResolutionHost()
  const files = new Map<string, ts.SourceFile | undefined>()
  return Object.assign(host, {
    getDefaultLibLocation: () => libraryFolder,
    getDefaultLibFileName: () => `${libraryFolder}/${typescript.getDefaultLibFileName(options)}`,
    fileExists: (path: string) => texts.has(path) || (isLibrary(path) ? libraries.fileExists(path) : fileExists(path)),
    readFile: (path: string) => texts.get(path) ?? (isLibrary(path) ? libraries.readFile(path) : readFile(path)),
    getSourceFile(path: string, settings: Settings): ts.SourceFile | undefined {
      const known = files.get(path)
      if (known && (texts.get(path) ?? known.text) === known.text) return known
      const file = isLibrary(path) ? parseLibrary(path, settings) : parse(path, settings)
      files.set(path, file)
      return file
    },
  })

  function parseLibrary(path: string, settings: Settings): ts.SourceFile | undefined {
    const key = `${path} ${JSON.stringify(settings)}`
    const parsed = parsedLibraries.get(key)?.deref() ?? parse(path, settings)
    if (parsed) parsedLibraries.set(key, new WeakRef(parsed))
    return parsed
  }

  function parse(path: string, settings: Settings): ts.SourceFile | undefined {
    const text = host.readFile(path)
    const isOwn = !path.includes('/node_modules/')
    return text === undefined ? undefined : typescript.createSourceFile(path, text, settings, isOwn)
  }
}

function isLibrary(path: string): boolean {
  return path.startsWith(`${libraryFolder}/`)
}
