import type { ts } from 'ts-morph'
import { commonExport } from '../find/exported-names.ts'
import { hasModifier, unwrapped } from '../find/found-function.ts'

/** The sources of the types of a file's functions and exports. */
export type TypeSources = {
  /** The modules, as they are written in the file. */
  modules: ReadonlySet<string>
  /** The names of types, without type parameters, and the names in type queries (`typeof settings`). */
  names: ReadonlySet<string>
  /** The modules to whose types the file adds, as they are written in the file. */
  augmented: ReadonlySet<string>
}

/**
 * Finds the sources of a file's types by syntax. Imports that only function bodies use are not included:
 * they do not affect parameters, and may have the types of a whole SDK.
 * @returns undefined for JavaScript, whose types are in comments
 */
export function typeSources(typescript: typeof ts, file: ts.SourceFile): TypeSources | undefined {
  if (/\.[cm]?jsx?$/.test(file.fileName)) return undefined
  const modules = new Set<string>()
  const names = new Set<string>()
  const augmented = new Set<string>()
  const mentioned = new Set<string>()
  const local = new Set(['const'])
  /** The expression from which a name's type is inferred, used if the name occurs. */
  const inferred = new Map<string, ts.Node>()
  const imports = file.statements.filter((statement) => typescript.isImportDeclaration(statement))
  for (const statement of file.statements) if (!typescript.isImportDeclaration(statement)) visit(statement)
  for (let next = nextInferred(); next; next = nextInferred()) visitAll(next)
  for (const { importClause, moduleSpecifier } of imports) {
    if (isNeeded(importClause, moduleSpecifier)) addModule(moduleSpecifier)
  }
  for (const name of local) names.delete(name)
  return { modules, names, augmented }

  function visit(node: ts.Node): void {
    if (typescript.isExpressionStatement(node)) {
      const exported = commonExport(typescript, node)
      if (exported) visitFunctions(exported.value)
      return
    }
    if (typescript.isVariableDeclaration(node)) {
      visitVariable(node)
      return
    }
    collect(node)
    const isFunction = typescript.isFunctionLike(node)
    const body = isFunction && 'body' in node ? node.body : undefined
    const name = isFunction ? node.name : undefined
    if (isFunction && body && !node.type && name && typescript.isIdentifier(name)) inferred.set(name.text, body)
    typescript.forEachChild(node, (child) => {
      if (child !== body && child !== name) visit(child)
    })
  }

  function visitVariable(variable: ts.VariableDeclaration): void {
    const { name, type, initializer, parent } = variable
    if (type) visit(type)
    if (!initializer) return
    visitFunctions(initializer)
    if (type) return
    // Another file may need the type of an export.
    if (hasModifier(typescript, parent.parent, typescript.SyntaxKind.ExportKeyword)) visit(initializer)
    for (const bound of boundNames(name)) inferred.set(bound, variable)
  }

  /** Functions of a value, exported or not: each may be a tool. @returns whether there are any */
  function visitFunctions(expression: ts.Expression): boolean {
    const value = unwrapped(typescript, expression)
    const isFunction = typescript.isArrowFunction(value) || typescript.isFunctionExpression(value)
    if (isFunction || typescript.isClassExpression(value)) visit(value)
    else if (!typescript.isObjectLiteralExpression(value)) return false
    else if (value.properties.filter(visitProperty).length === 0) return false
    visitTypesAround(expression, value)
    return true
  }

  function visitProperty(property: ts.ObjectLiteralElementLike): boolean {
    if (typescript.isPropertyAssignment(property)) return visitFunctions(property.initializer)
    if (!typescript.isMethodDeclaration(property)) return false
    visit(property)
    return true
  }

  /** `Handler` of `(…) satisfies Handler`, which says what parameters are. */
  function visitTypesAround(node: ts.Node, value: ts.Node): void {
    if (typescript.isTypeNode(node)) visit(node)
    else if (node !== value) typescript.forEachChild(node, (child) => visitTypesAround(child, value))
  }

  function boundNames(name: ts.BindingName): string[] {
    if (typescript.isIdentifier(name)) return [name.text]
    return name.elements.flatMap((element) => (typescript.isBindingElement(element) ? boundNames(element.name) : []))
  }

  function nextInferred(): ts.Node | undefined {
    const name = [...inferred.keys()].find((each) => mentioned.has(each))
    const node = name === undefined ? undefined : inferred.get(name)
    if (name !== undefined) inferred.delete(name)
    return node
  }

  function visitAll(node: ts.Node): void {
    collect(node)
    typescript.forEachChild(node, visitAll)
  }

  function collect(node: ts.Node): void {
    if (typescript.isIdentifier(node)) mentioned.add(node.text)
    if (typescript.isTypeParameterDeclaration(node)) local.add(node.name.text)
    if (typescript.isParameter(node) && typescript.isIdentifier(node.name)) local.add(node.name.text)
    if (typescript.isTypeReferenceNode(node)) addName(node.typeName)
    if (typescript.isTypeQueryNode(node)) addName(node.exprName)
    if (typescript.isExpressionWithTypeArguments(node)) addName(node.expression)
    if (typescript.isExportDeclaration(node) && node.moduleSpecifier) addModule(node.moduleSpecifier)
    if (typescript.isModuleDeclaration(node) && typescript.isStringLiteral(node.name)) augmented.add(node.name.text)
    if (typescript.isExternalModuleReference(node)) addModule(node.expression)
    if (typescript.isImportTypeNode(node) && typescript.isLiteralTypeNode(node.argument))
      addModule(node.argument.literal)
  }

  /** `Map` of `Map<string, Price>`, `NodeJS` of `NodeJS.Timeout`. */
  function addName(name: ts.Node): void {
    if (typescript.isIdentifier(name)) names.add(name.text)
    else if (typescript.isQualifiedName(name)) addName(name.left)
    else if (typescript.isPropertyAccessExpression(name)) addName(name.expression)
  }

  function addModule(specifier: ts.Node): void {
    if (typescript.isStringLiteral(specifier)) modules.add(specifier.text)
  }

  /** A file that is imported for its effects may declare global types. */
  function isNeeded(clause: ts.ImportClause | undefined, specifier: ts.Expression): boolean {
    if (!clause) return typescript.isStringLiteral(specifier) && specifier.text.startsWith('.')
    const { name, namedBindings } = clause
    const list = namedBindings && typescript.isNamedImports(namedBindings) ? namedBindings.elements : [namedBindings]
    const bound = [name, ...list.map((element) => element?.name)]
    return bound.some((each) => each !== undefined && mentioned.has(each.text))
  }
}
