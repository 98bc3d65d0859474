import type { ts } from 'ts-morph'
import type { TsMorph } from './load-ts-morph.ts'

/** Where the language's own types stand: in ts-morph, under the names that they have in TypeScript's package. */
const libraryFolder = '/node_modules/typescript/lib'

/**
 * How a program reads files: each once, and the language's own types from ts-morph.
 *
 * ts-morph's own project is not used for it: that does not tell ES modules from CommonJS, and so does not find the
 * types of packages that are for `import` alone.
 *
 * @param texts what files hold where it differs from what is on disk, by their path
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
    getSourceFile(path: string, settings: ts.ScriptTarget | ts.CreateSourceFileOptions): ts.SourceFile | undefined {
      const known = files.get(path)
      if (known && (texts.get(path) ?? known.text) === known.text) return known
      const text = host.readFile(path)
      const isOwn = !path.includes('/node_modules/')
      const file = text === undefined ? undefined : typescript.createSourceFile(path, text, settings, isOwn)
      files.set(path, file)
      return file
    },
  })
}

function isLibrary(path: string): boolean {
  return path.startsWith(`${libraryFolder}/`)
}
