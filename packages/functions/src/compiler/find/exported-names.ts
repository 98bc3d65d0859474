import type { ts } from 'ts-morph'
import { hasModifier, unwrapped } from './found-function.ts'

type Exported = [name: string, path: string[]]

/** How an importing module accesses the top-level values of a file, by their names in the file. */
export function exportedNames(typescript: typeof ts, file: ts.SourceFile): ReadonlyMap<string, string[]> {
  const { ExportKeyword, DefaultKeyword } = typescript.SyntaxKind
  const exported = new Map<string, string[]>()
  // An export of its own comes before a place in an exported object.
  const all = file.statements.flatMap(exportsOf).toSorted(([, one], [, other]) => one.length - other.length)
  for (const [name, path] of all) if (!exported.has(name)) exported.set(name, path)
  return exported

  function exportsOf(statement: ts.Statement): Exported[] {
    if (typescript.isExportDeclaration(statement)) return exportedList(statement)
    if (typescript.isExportAssignment(statement)) {
      // `export = …` is `module.exports = …`, which an import finds as the default export, too.
      return valueExports(['default'], statement.expression)
    }
    if (typescript.isExpressionStatement(statement)) {
      const { path, value } = commonExport(typescript, statement) ?? {}
      return path && value ? valueExports(path, value) : []
    }
    if (!hasModifier(typescript, statement, ExportKeyword)) return []
    const isDefault = hasModifier(typescript, statement, DefaultKeyword)
    return [
      ...declaredNames(statement).map((name): Exported => [name, [isDefault ? 'default' : name]]),
      ...namedValues(statement),
    ]
  }

  /** `export const tools = { add, minus: subtract }` */
  function namedValues(statement: ts.Statement): Exported[] {
    if (!typescript.isVariableStatement(statement)) return []
    return statement.declarationList.declarations.flatMap(({ name, initializer }) => {
      return typescript.isIdentifier(name) && initializer ? partExports([name.text], initializer) : []
    })
  }

  function declaredNames(statement: ts.Statement): string[] {
    if (typescript.isFunctionDeclaration(statement) || typescript.isClassDeclaration(statement)) {
      return statement.name ? [statement.name.text] : []
    }
    if (!typescript.isVariableStatement(statement)) return []
    const names = statement.declarationList.declarations.map(({ name }) => name)
    return names.filter((name) => typescript.isIdentifier(name)).map(({ text }) => text)
  }

  /** `export { add, subtract as minus }` */
  function exportedList({ exportClause, moduleSpecifier, isTypeOnly }: ts.ExportDeclaration): Exported[] {
    if (!exportClause || moduleSpecifier || isTypeOnly || !typescript.isNamedExports(exportClause)) return []
    const elements = exportClause.elements.filter((element) => !element.isTypeOnly)
    return elements.map(({ name, propertyName }) => [(propertyName ?? name).text, [name.text]])
  }

  /** What is exported by `exports.add = add`, `module.exports = { add, minus: subtract }`, `export default { add }`. */
  function valueExports(path: string[], value: ts.Expression): Exported[] {
    return typescript.isIdentifier(value) ? [[value.text, path]] : partExports(path, value)
  }

  function partExports(path: string[], expression: ts.Expression): Exported[] {
    const value = unwrapped(typescript, expression)
    if (!typescript.isObjectLiteralExpression(value)) return []
    return value.properties.flatMap((property): Exported[] => {
      if (typescript.isShorthandPropertyAssignment(property)) {
        return [[property.name.text, [...path, property.name.text]]]
      }
      if (!typescript.isPropertyAssignment(property)) return []
      const { name, initializer } = property
      if (!typescript.isIdentifier(name) || !typescript.isIdentifier(initializer)) return []
      return [[initializer.text, [...path, name.text]]]
    })
  }
}

/**
 * The value that CommonJS code assigns to `exports.add`, `module.exports.add` or `module.exports`, and the name under
 * which an `import` finds it.
 */
export function commonExport(
  typescript: typeof ts,
  { expression }: ts.ExpressionStatement,
): { target: string; path: string[]; value: ts.Expression } | undefined {
  if (!typescript.isBinaryExpression(expression)) return undefined
  const { left, operatorToken, right: value } = expression
  if (operatorToken.kind !== typescript.SyntaxKind.EqualsToken) return undefined
  const target = left.getText()
  if (target === 'module.exports') return { target, path: ['default'], value }
  const [, property] = /^(?:module\.)?exports\.([\p{ID_Continue}$]+)$/u.exec(target) ?? []
  return property === undefined ? undefined : { target, path: ['default', property], value }
}
