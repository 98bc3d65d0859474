import { existsSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import type { ts } from 'ts-morph'
import type { SmallProgram } from './small-program.ts'

/** Resolves the imports of files, with a cache. */
export type ModuleResolver = {
  resolveModuleNameLiterals: NonNullable<ts.CompilerHost['resolveModuleNameLiterals']>
  /** The files that a file imports, and what else decides which these are: the packages' own package.json. */
  importsOf(path: string): { files: string[]; decisive: string[] }
}

/** @param small decides which imports are followed; default: all */
export function createModuleResolver(
  typescript: typeof ts,
  host: ts.CompilerHost,
  small?: Pick<SmallProgram, 'follows' | 'found'>,
): ModuleResolver {
  let cache: ts.ModuleResolutionCache | undefined
  const imports = new Map<string, { file: ts.SourceFile; found: Map<string, string | undefined> }>()
  const reported = new Map<string, ReturnType<ModuleResolver['importsOf']>>()
  return {
    resolveModuleNameLiterals(literals, containingFile, redirected, options, file) {
      cache ??= typescript.createModuleResolutionCache(host.getCurrentDirectory(), host.getCanonicalFileName, options)
      // For a file that was read before, TypeScript asks only for the imports that were not found then.
      const before = imports.get(containingFile)
      const found = before?.file === file ? before.found : new Map<string, string | undefined>()
      imports.set(containingFile, { file, found })
      reported.delete(containingFile)
      return literals.map((literal) => {
        const { text } = literal
        if (small && !small.follows(file, text)) return { resolvedModule: undefined }
        const mode = typescript.getModeForUsageLocation(file, literal, options)
        const resolved = typescript.resolveModuleName(text, containingFile, options, host, cache, redirected, mode)
        const path = resolved.resolvedModule?.resolvedFileName
        found.set(text, path)
        if (path !== undefined) small?.found(file, text, path)
        return resolved
      })
    },
    importsOf(path) {
      const known = reported.get(path)
      if (known) return known
      const found = [...(imports.get(path)?.found ?? [])]
      const result = {
        files: found.flatMap(([, file]) => file ?? []),
        decisive: found.flatMap(([specifier, file]) => decidersOf(path, specifier, file)),
      }
      reported.set(path, result)
      return result
    },
  }
}

/** The files whose changes could change the resolution of an import. */
function decidersOf(from: string, specifier: string, found: string | undefined): string[] {
  if (/^\.{0,2}\//.test(specifier)) return found === undefined ? possibleFiles(resolve(dirname(from), specifier)) : []
  const name = found === undefined ? packageName(specifier) : packageOfFile(found)
  // The link in node_modules, not its target, because another version is another folder.
  return name === undefined ? [] : [nearestManifest(dirname(from), name)]
}

function possibleFiles(path: string): string[] {
  return [...new Set([path, path.replace(/\.([cm]?)js$/, '.$1ts'), `${path}.ts`, `${path}.d.ts`])]
}

function packageName(specifier: string): string | undefined {
  return /^(?:@[^/]+\/)?[^/@#][^/]*/.exec(specifier)?.[0]
}

/** The package of a file in node_modules. */
function packageOfFile(path: string): string | undefined {
  return /.*\/node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(path)?.[1]
}

/** The package.json of a package as it is found from a folder; or its expected path. */
export function nearestManifest(folder: string, name: string): string {
  for (let place = folder; ; place = dirname(place)) {
    const manifest = join(place, 'node_modules', name, 'package.json')
    if (existsSync(manifest)) return manifest
    if (dirname(place) === place) return join(folder, 'node_modules', name, 'package.json')
  }
}
