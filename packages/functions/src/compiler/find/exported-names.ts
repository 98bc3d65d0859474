import type { ts } from 'ts-morph'
import { hasModifier } from './found-function.ts'

type Exported = [name: string, path: string[]]

/** How an importing module accesses the top-level values of a file, by their names in the file. */
export function exportedNames(typescript: typeof ts, file: ts.SourceFile): ReadonlyMap<string, string[]> {
  const { ExportKeyword, DefaultKeyword } = typescript.SyntaxKind
  const exported = new Map<string, string[]>()
  for (const [name, path] of file.statements.flatMap(exportsOf)) if (!exported.has(name)) exported.set(name, path)
  return exported

  function exportsOf(statement: ts.Statement): Exported[] {
    if (typescript.isExportDeclaration(statement)) return exportedList(statement)
    if (typescript.isExportAssignment(statement)) {
      const { expression, isExportEquals } = statement
      return typescript.isIdentifier(expression) && !isExportEquals ? [[expression.text, ['default']]] : []
    }
    if (typescript.isExpressionStatement(statement)) return commonExports(statement)
    if (!hasModifier(typescript, statement, ExportKeyword)) return []
    const isDefault = hasModifier(typescript, statement, DefaultKeyword)
    return declaredNames(statement).map((name) => [name, [isDefault ? 'default' : name]])
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

  /** `exports.add = add`, `module.exports = add`, `module.exports = { add, minus: subtract }` */
  function commonExports(statement: ts.ExpressionStatement): Exported[] {
    const { path, value } = commonExport(typescript, statement) ?? {}
    if (!path || !value) return []
    if (typescript.isIdentifier(value)) return [[value.text, path]]
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
