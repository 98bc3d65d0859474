import type { JSONValue } from '@agentkit/core'
import type { ts } from 'ts-morph'

/**
 * The value of an expression that is plain data, by its syntax; `undefined` if it has to be computed.
 * @param computed returns the value of other expressions, if it is known
 */
export function plainValue(
  typescript: typeof ts,
  expression: ts.Expression,
  computed: (expression: ts.Expression) => JSONValue | undefined = () => undefined,
): JSONValue | undefined {
  const { SyntaxKind } = typescript
  return read(expression)

  function read(node: ts.Expression): JSONValue | undefined {
    if (typescript.isParenthesizedExpression(node) || typescript.isAsExpression(node)) return read(node.expression)
    if (typescript.isSatisfiesExpression(node)) return read(node.expression)
    if (typescript.isStringLiteralLike(node)) return node.text
    if (typescript.isNumericLiteral(node)) return finite(Number(node.text))
    if (node.kind === SyntaxKind.TrueKeyword) return true
    if (node.kind === SyntaxKind.FalseKeyword) return false
    if (node.kind === SyntaxKind.NullKeyword) return null
    if (typescript.isArrayLiteralExpression(node)) return list(node)
    if (typescript.isObjectLiteralExpression(node)) return record(node)
    return negative(node) ?? computed(node)
  }

  function negative(node: ts.Expression): number | undefined {
    if (!typescript.isPrefixUnaryExpression(node) || node.operator !== SyntaxKind.MinusToken) return undefined
    // JSON has no -0.
    return typescript.isNumericLiteral(node.operand) ? finite(0 - Number(node.operand.text)) : undefined
  }

  function list({ elements }: ts.ArrayLiteralExpression): JSONValue[] | undefined {
    const values = elements.map(read)
    return values.every((value) => value !== undefined) ? values : undefined
  }

  function record({ properties }: ts.ObjectLiteralExpression): JSONValue | undefined {
    const entries: [string, JSONValue][] = []
    for (const property of properties) {
      const name = typescript.isPropertyAssignment(property) ? nameOf(property.name) : undefined
      const value = typescript.isPropertyAssignment(property) ? read(property.initializer) : undefined
      if (name === undefined || value === undefined) return undefined
      entries.push([name, value])
    }
    return Object.fromEntries(entries)
  }

  function nameOf(name: ts.PropertyName): string | undefined {
    // `__proto__: value` sets the prototype and is not a property.
    if (!typescript.isComputedPropertyName(name)) return name.text === '__proto__' ? undefined : name.text
    return typescript.isStringLiteral(name.expression) ? name.expression.text : undefined
  }
}

/** JSON has no other numbers. */
function finite(value: number): number | undefined {
  return Number.isFinite(value) ? value : undefined
}
