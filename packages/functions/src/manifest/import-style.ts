import { dirname } from 'node:path'
import type { ts } from 'ts-morph'
import { readTsconfig } from '../compiler/project/tsconfig.ts'
import { posixRelative } from './posix-path.ts'

/** How a module of a project imports others. */
export type ImportStyle = {
  /** The package that provides `attachTool`: the one that the project depends on. */
  attachFrom: string
  /** The import of a source file, both absolute. */
  specifierOf(file: string): string
}

/** The style that the project of a module needs, by its tsconfig.json and package.json. */
export function importStyle(typescript: typeof ts, module: string): ImportStyle {
  const folder = dirname(module)
  const { options, place } = readTsconfig(typescript, module)
  return {
    attachFrom: dependsOnFunctions(typescript, folder) ? '@agentkit/functions' : 'agentkit/functions',
    specifierOf(file) {
      const path = posixRelative(folder, file)
      return importedAs(
        typescript,
        path.startsWith('.') ? path : `./${path}`,
        place === undefined ? undefined : options,
      )
    },
  }
}

function importedAs(typescript: typeof ts, path: string, options: ts.CompilerOptions | undefined): string {
  const isWritten = !options || options.allowImportingTsExtensions || options.rewriteRelativeImportExtensions
  if (isWritten) return path
  const { Classic, Node10, Bundler } = typescript.ModuleResolutionKind
  const isBundled = [Classic, Node10, Bundler].some((kind) => kind === resolutionOf(typescript, options))
  // A bundler finds the file without its extension; Node finds the compiled file.
  return path.replace(/\.tsx?$/, isBundled ? '' : '.js').replace(/\.([cm])ts$/, '.$1js')
}

/** The compiler's default for `moduleResolution`. */
function resolutionOf(
  { ModuleKind, ModuleResolutionKind }: typeof ts,
  { module, moduleResolution }: ts.CompilerOptions,
): ts.ModuleResolutionKind {
  if (moduleResolution !== undefined) return moduleResolution
  if (module === undefined) return ModuleResolutionKind.Bundler
  const isNode = module >= ModuleKind.Node16 && module <= ModuleKind.NodeNext
  return isNode ? ModuleResolutionKind.NodeNext : ModuleResolutionKind.Bundler
}

function dependsOnFunctions(typescript: typeof ts, folder: string): boolean {
  const file = typescript.findConfigFile(folder, typescript.sys.fileExists, 'package.json')
  if (file === undefined) return false
  const { config } = typescript.readConfigFile(file, typescript.sys.readFile)
  const fields = ['dependencies', 'devDependencies', 'peerDependencies', 'optionalDependencies']
  return fields.some((field) => config?.[field]?.['@agentkit/functions'] !== undefined)
}
