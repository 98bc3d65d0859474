import type { ts } from 'ts-morph'
import { plainValue } from '../compiler/scope/plain-value.ts'
import { syntaxErrors } from '../compiler/scope/syntax-errors.ts'
import { readHeader } from './header.ts'
import type { Manifest, ManifestFunction } from './manifest.ts'

/**
 * Parses a manifest's text, however it is formatted.
 * @returns `undefined` if it contains anything that `formatManifest` does not write
 */
export function readManifest(typescript: typeof ts, text: string): Manifest | undefined {
  const header = readHeader(text)
  const file = typescript.createSourceFile('manifest.ts', text, typescript.ScriptTarget.Latest)
  if (!header || syntaxErrors(file).length > 0) return undefined
  const modules = new Map<string, string>()
  const functions: ManifestFunction[] = []
  let attachFrom: string | undefined
  for (const statement of file.statements) {
    if (typescript.isImportDeclaration(statement)) {
      const { from, all, attachTool } = readImport(typescript, statement)
      if (all !== undefined) modules.set(all, from)
      else if (attachTool) attachFrom = from
      else return undefined
    } else {
      const call = readCall(typescript, statement, modules)
      if (!call) return undefined
      functions.push(call)
    }
  }
  return attachFrom === undefined ? undefined : { header, attachFrom, functions }
}

/** `import * as all from 'from'` or `import { attachTool } from 'from'`. */
function readImport(
  typescript: typeof ts,
  { importClause, moduleSpecifier }: ts.ImportDeclaration,
): { from: string; all?: string; attachTool: boolean } {
  const from = typescript.isStringLiteral(moduleSpecifier) ? moduleSpecifier.text : ''
  const bindings = importClause?.phaseModifier || importClause?.name ? undefined : importClause?.namedBindings
  if (bindings && typescript.isNamespaceImport(bindings)) return { from, all: bindings.name.text, attachTool: false }
  const [only, ...more] = bindings?.elements ?? []
  const attachTool = only?.name.text === 'attachTool' && !only.propertyName && more.length === 0
  return { from, attachTool }
}

/** `attachTool(module.path, { … })` */
function readCall(
  typescript: typeof ts,
  statement: ts.Statement,
  modules: ReadonlyMap<string, string>,
): ManifestFunction | undefined {
  if (!typescript.isExpressionStatement(statement)) return undefined
  const call = statement.expression
  if (!typescript.isCallExpression(call) || call.questionDotToken || call.arguments.length !== 2) return undefined
  if (!typescript.isIdentifier(call.expression) || call.expression.text !== 'attachTool') return undefined
  const [reference, data] = call.arguments
  const [module = '', ...path] = (reference && readReference(typescript, reference)) ?? []
  const from = modules.get(module)
  const compiled = data && plainValue(typescript, data)
  if (from === undefined || path.length === 0 || compiled === undefined) return undefined
  return { from, path, compiled }
}

/** The names of `module.Calculator.prototype.add`. */
function readReference(typescript: typeof ts, expression: ts.Expression): string[] | undefined {
  if (typescript.isIdentifier(expression)) return [expression.text]
  const name = accessedName(typescript, expression)
  if (name === undefined) return undefined
  const owner = readReference(typescript, name.of)
  return owner && [...owner, name.text]
}

function accessedName(typescript: typeof ts, node: ts.Expression): { of: ts.Expression; text: string } | undefined {
  if (typescript.isPropertyAccessExpression(node)) {
    return node.questionDotToken ? undefined : { of: node.expression, text: node.name.text }
  }
  const isNamed = typescript.isElementAccessExpression(node) && typescript.isStringLiteral(node.argumentExpression)
  return isNamed && !node.questionDotToken ? { of: node.expression, text: node.argumentExpression.text } : undefined
}
