import type { JSONValue } from '@agentkit/core'
import type { ts } from 'ts-morph'

/** The value of an expression that is plain data, by its syntax alone; `undefined` where it has to be computed. */
export function plainValue(typescript: typeof ts, expression: ts.Expression): JSONValue | undefined {
  const { SyntaxKind } = typescript
  if (typescript.isStringLiteralLike(expression)) return expression.text
  if (typescript.isNumericLiteral(expression)) return Number(expression.text)
  if (typescript.isPrefixUnaryExpression(expression)) return negative(typescript, expression)
  if (expression.kind === SyntaxKind.TrueKeyword) return true
  if (expression.kind === SyntaxKind.FalseKeyword) return false
  if (expression.kind === SyntaxKind.NullKeyword) return null
  if (typescript.isArrayLiteralExpression(expression)) return list(typescript, expression)
  if (typescript.isObjectLiteralExpression(expression)) return record(typescript, expression)
  return undefined
}

function negative(typescript: typeof ts, { operator, operand }: ts.PrefixUnaryExpression): number | undefined {
  const isNegative = operator === typescript.SyntaxKind.MinusToken && typescript.isNumericLiteral(operand)
  return isNegative ? -Number(operand.text) : undefined
}

function list(typescript: typeof ts, { elements }: ts.ArrayLiteralExpression): JSONValue[] | undefined {
  const values = elements.map((element) => plainValue(typescript, element))
  return values.every((value) => value !== undefined) ? values : undefined
}

function record(typescript: typeof ts, { properties }: ts.ObjectLiteralExpression): JSONValue | undefined {
  const entries: [string, JSONValue][] = []
  for (const property of properties) {
    const name = typescript.isPropertyAssignment(property) ? nameOf(typescript, property.name) : undefined
    const value = typescript.isPropertyAssignment(property) && plainValue(typescript, property.initializer)
    if (name === undefined || value === undefined) return undefined
    entries.push([name, value])
  }
  return Object.fromEntries(entries)
}

function nameOf(typescript: typeof ts, name: ts.PropertyName): string | undefined {
  // Written as a name, `__proto__` is no property.
  if (!typescript.isComputedPropertyName(name)) return name.text === '__proto__' ? undefined : name.text
  return typescript.isStringLiteral(name.expression) ? name.expression.text : undefined
}
