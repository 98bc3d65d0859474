import { dirname } from 'node:path'
import type { ts } from 'ts-morph'
import { posixRelative } from './posix-path.ts'

/** How a module of a project names others. */
export type ImportStyle = {
  /** Where `attachTool` comes from: the package that the project depends on. */
  attachFrom: string
  /** The import of a source file, both absolute. */
  specifierOf(file: string): string
}

/** The style that the project of a module needs, by its tsconfig.json and package.json. */
export function importStyle(typescript: typeof ts, module: string): ImportStyle {
  const folder = dirname(module)
  const options = compilerOptions(typescript, folder)
  return {
    attachFrom: dependsOnFunctions(typescript, folder) ? '@agentkit/functions' : 'agentkit/functions',
    specifierOf(file) {
      const path = posixRelative(folder, file)
      return importedAs(typescript, path.startsWith('.') ? path : `./${path}`, options)
    },
  }
}

function importedAs(typescript: typeof ts, path: string, options: ts.CompilerOptions | undefined): string {
  const isWritten = !options || options.allowImportingTsExtensions || options.rewriteRelativeImportExtensions
  if (isWritten) return path
  const { Classic, Node10, Bundler } = typescript.ModuleResolutionKind
  const isBundled = [Classic, Node10, Bundler].some((kind) => kind === resolutionOf(typescript, options))
  // A bundler finds the file without its extension, Node finds what the compiler makes of it.
  return path.replace(/\.tsx?$/, isBundled ? '' : '.js').replace(/\.([cm])ts$/, '.$1js')
}

/** What the compiler takes where `moduleResolution` is not said. */
function resolutionOf(
  { ModuleKind, ModuleResolutionKind }: typeof ts,
  { module, moduleResolution }: ts.CompilerOptions,
): ts.ModuleResolutionKind {
  if (moduleResolution !== undefined) return moduleResolution
  if (module === undefined) return ModuleResolutionKind.Bundler
  const isNode = module >= ModuleKind.Node16 && module <= ModuleKind.NodeNext
  return isNode ? ModuleResolutionKind.NodeNext : ModuleResolutionKind.Bundler
}

function compilerOptions(typescript: typeof ts, folder: string): ts.CompilerOptions | undefined {
  const file = typescript.findConfigFile(folder, typescript.sys.fileExists)
  if (file === undefined) return undefined
  const { options, raw, projectReferences = [] } = readTsconfig(typescript, file)
  const [first] = projectReferences
  // One that has no files itself only lists the projects that have.
  const isList = Array.isArray(raw?.files) && raw.files.length === 0
  return isList && first ? readTsconfig(typescript, typescript.resolveProjectReferencePath(first)).options : options
}

function readTsconfig(typescript: typeof ts, file: string): ts.ParsedCommandLine {
  // Which files belong to the project does not matter here, and may take long to find.
  const host = { ...typescript.sys, readDirectory: () => [] }
  const { config } = typescript.readConfigFile(file, typescript.sys.readFile)
  return typescript.parseJsonConfigFileContent(config ?? {}, host, dirname(file))
}

function dependsOnFunctions(typescript: typeof ts, folder: string): boolean {
  const file = typescript.findConfigFile(folder, typescript.sys.fileExists, 'package.json')
  if (file === undefined) return false
  const { config } = typescript.readConfigFile(file, typescript.sys.readFile)
  const fields = ['dependencies', 'devDependencies', 'peerDependencies', 'optionalDependencies']
  return fields.some((field) => config?.[field]?.['@agentkit/functions'] !== undefined)
}
