import { join, posix } from 'node:path'
import {
  type ClassDeclaration,
  type ExportSpecifier,
  type ImportSpecifier,
  Node,
  Project,
  type SourceFile,
} from 'ts-morph'
import { root } from './workspace-files.ts'

/** A name that a file exports, with its declarations (several: overloads) and the file that has them. */
export type Exported = { name: string; isType: boolean; path: string; declarations: Node[] }

type Found = Pick<Exported, 'path' | 'declarations'>

/** The class that a class of the workspace extends, if that is one of the workspace too. */
export type BaseOf = (node: ClassDeclaration) => ClassDeclaration | undefined

/**
 * Creates a function that lists what a file exports, sorted. It follows re-exports through the workspace by the syntax alone, which
 * takes a second; TypeScript's checker would load half a minute of types of packages.
 * @param entryPoints The source file of each entry point, by the specifier of the import: `agentkit/functions`.
 */
export function createExportReader(entryPoints: ReadonlyMap<string, string>): {
  exportsOf: (path: string) => Exported[]
  baseOf: BaseOf
} {
  const project = new Project({
    skipFileDependencyResolution: true,
    skipLoadingLibFiles: true,
    compilerOptions: { noResolve: true },
  })
  return { exportsOf, baseOf }

  function exportsOf(path: string): Exported[] {
    const file = open(path)
    const named = file.getExportDeclarations().flatMap((declaration) =>
      declaration.getNamedExports().map((each) => {
        return { name: exportedName(each), isTypeOnly: declaration.isTypeOnly() || each.isTypeOnly() }
      }),
    )
    const declared = declaredIn(file).map((name) => ({ name, isTypeOnly: false }))
    return [...named, ...declared].sort(byName).map(({ name, isTypeOnly }) => {
      const found = find(path, name)
      return { name, isType: isTypeOnly || found.declarations.every(isTypeDeclaration), ...found }
    })
  }

  function baseOf(node: ClassDeclaration): ClassDeclaration | undefined {
    const base = node.getExtends()?.getExpression().getText()
    if (base === undefined || base in globalThis) return undefined
    const path = posix.relative(root, node.getSourceFile().getFilePath())
    return findImported(node.getSourceFile(), path, base).declarations.find(Node.isClassDeclaration)
  }

  function open(path: string): SourceFile {
    return project.getSourceFile(join(root, path)) ?? project.addSourceFileAtPath(join(root, path))
  }

  function find(path: string, name: string): Found {
    const file = open(path)
    const declarations = declarationsOf(file, name)
    if (declarations.length > 0) return { path, declarations }

    for (const declaration of file.getExportDeclarations()) {
      const specifier = declaration.getNamedExports().find((each) => exportedName(each) === name)
      if (!specifier) continue
      const from = declaration.getModuleSpecifierValue()
      if (from !== undefined) return find(resolve(from, path), specifier.getName())
      return findImported(file, path, specifier.getName())
    }
    return findImported(file, path, name)
  }

  function findImported(file: SourceFile, path: string, name: string): Found {
    const local = declarationsOf(file, name)
    if (local.length > 0) return { path, declarations: local }
    for (const declaration of file.getImportDeclarations()) {
      const specifier = declaration.getNamedImports().find((each) => exportedName(each) === name)
      if (specifier) return find(resolve(declaration.getModuleSpecifierValue(), path), specifier.getName())
    }
    throw new Error(`${path} exports "${name}", whose declaration is not in the workspace.`)
  }

  function resolve(specifier: string, from: string): string {
    if (specifier.startsWith('.')) return posix.join(posix.dirname(from), specifier)
    const source = entryPoints.get(specifier)
    if (source === undefined)
      throw new Error(`${from} exports a name of "${specifier}", which is not in the workspace.`)
    return source
  }
}

function byName(one: { name: string }, other: { name: string }): number {
  return one.name < other.name ? -1 : 1
}

function isTypeDeclaration(node: Node): boolean {
  return Node.isTypeAliasDeclaration(node) || Node.isInterfaceDeclaration(node)
}

function exportedName(specifier: ExportSpecifier | ImportSpecifier): string {
  return specifier.getAliasNode()?.getText() ?? specifier.getName()
}

function declaredIn(file: SourceFile): string[] {
  const named = [...file.getFunctions(), ...file.getClasses(), ...file.getInterfaces(), ...file.getTypeAliases()]
  const variables = file.getVariableStatements().filter((statement) => statement.hasExportKeyword())
  return [
    ...new Set(named.filter((each) => each.hasExportKeyword()).map((each) => each.getName() ?? '')),
    ...variables.flatMap((statement) => statement.getDeclarations().map((each) => each.getName())),
  ]
}

function declarationsOf(file: SourceFile, name: string): Node[] {
  const functions = file.getFunctions().filter((each) => each.getName() === name)
  const overloads = functions.flatMap((each) => (each.getOverloads().length > 0 ? each.getOverloads() : [each]))
  const others = [
    file.getClass(name),
    file.getInterface(name),
    file.getTypeAlias(name),
    file.getVariableDeclaration(name),
  ]
  return [...overloads, ...others].filter((each) => each !== undefined)
}
