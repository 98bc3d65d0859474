import { dirname, resolve } from 'node:path'
import type { ts } from 'ts-morph'
import { type ModuleResolver, nearestManifest } from './module-resolver.ts'

/**
 * The files that determine the types of a file: itself and its transitive imports; of packages also their
 * package.json, which has the version.
 */
export function decisiveFiles(path: string, program: ts.Program, resolver: ModuleResolver): Set<string> {
  const decisive = new Set<string>()
  const seen = new Set<string>()
  visit(path)
  for (const named of program.getCompilerOptions().types ?? []) {
    // `*` means all installed global types, of which other types depend only on Node's.
    const name = named === '*' ? 'node' : named
    decisive.add(nearestManifest(dirname(path), name.startsWith('@') ? name : `@types/${name}`))
  }
  return decisive

  function visit(file: string): void {
    if (seen.has(file)) return
    seen.add(file)
    if (!isGivenByVersion(file)) decisive.add(file)
    const { files, decisive: others } = resolver.importsOf(file)
    for (const other of others) decisive.add(other)
    for (const imported of files) visit(imported)
    for (const { fileName } of program.getSourceFile(file)?.referencedFiles ?? []) {
      visit(resolve(dirname(file), fileName))
    }
  }
}

/** The language's own types, which are in ts-morph, and agentkit's. Others may be generated, or patched in place. */
function isGivenByVersion(file: string): boolean {
  return /^\/node_modules\/|\/node_modules\/(@agentkit|agentkit|@types\/node)\//.test(file)
}
