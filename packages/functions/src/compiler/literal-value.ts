import type { JSONValue } from '@agentkit/core'
import type { ts } from 'ts-morph'
import type { CompilerScope } from './compiler-scope.ts'

/** What an initializer is, where that is plain data; `undefined` where it has to be computed. */
export function literalValue(expression: ts.Expression, scope: CompilerScope): JSONValue | undefined {
  const { ts } = scope
  if (ts.isParenthesizedExpression(expression) || ts.isAsExpression(expression) || ts.isSatisfiesExpression(expression))
    return literalValue(expression.expression, scope)
  if (ts.isStringLiteralLike(expression)) return expression.text
  if (expression.kind === ts.SyntaxKind.TrueKeyword) return true
  if (expression.kind === ts.SyntaxKind.FalseKeyword) return false
  if (expression.kind === ts.SyntaxKind.NullKeyword) return null
  if (ts.isArrayLiteralExpression(expression)) return listValue(expression, scope)
  if (ts.isObjectLiteralExpression(expression)) return objectValue(expression, scope)
  return constantValue(expression, scope)
}

/** Numbers of every spelling, and names of constants. */
function constantValue(expression: ts.Expression, { ts, checker }: CompilerScope): JSONValue | undefined {
  const type = checker.getTypeAtLocation(expression)
  if (type.isStringLiteral()) return type.value
  // The checker keeps `-0`, which JSON does not.
  if (type.isNumberLiteral()) return Number.isFinite(type.value) ? type.value + 0 : undefined
  if (type.flags & ts.TypeFlags.BooleanLiteral) return checker.typeToString(type) === 'true'
  return undefined
}

function listValue({ elements }: ts.ArrayLiteralExpression, scope: CompilerScope): JSONValue | undefined {
  const values = elements.map((element) => literalValue(element, scope))
  return values.every((value) => value !== undefined) ? values : undefined
}

function objectValue({ properties }: ts.ObjectLiteralExpression, scope: CompilerScope): JSONValue | undefined {
  const { ts } = scope
  const entries: [string, JSONValue][] = []
  for (const property of properties) {
    if (!ts.isPropertyAssignment(property) || ts.isComputedPropertyName(property.name)) return undefined
    const value = literalValue(property.initializer, scope)
    if (value === undefined) return undefined
    entries.push([property.name.text, value])
  }
  return Object.fromEntries(entries)
}
