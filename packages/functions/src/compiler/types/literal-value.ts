import type { JSONValue } from '@agentkit/core'
import type { ts } from 'ts-morph'
import type { CompilerScope } from '../scope/compiler-scope.ts'
import { plainValue } from '../scope/plain-value.ts'

/** The value of an initializer: plain data, possibly with names of constants; `undefined` if it has to be computed. */
export function literalValue(expression: ts.Expression, { ts, checker }: CompilerScope): JSONValue | undefined {
  return plainValue(ts, expression, (node) => {
    const type = checker.getTypeAtLocation(node)
    if (type.isStringLiteral()) return type.value
    // JSON has no -0 and nothing infinite.
    if (type.isNumberLiteral()) return Number.isFinite(type.value) ? type.value + 0 : undefined
    if (type.flags & ts.TypeFlags.BooleanLiteral) return checker.typeToString(type) === 'true'
    return undefined
  })
}
