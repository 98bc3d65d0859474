import type { ts } from 'ts-morph'
import type { CompilerScope } from './compiler-scope.ts'

/** `string & { __brand: 'Id' }` is a string for everything except TypeScript. Other types are returned unchanged. */
export function unbranded(type: ts.Type, scope: CompilerScope): ts.Type {
  if (!type.isIntersection()) return type
  const { checker } = scope
  const primitive = type.types.find((member) => isPrimitive(member, scope))
  if (primitive) return primitive
  if (type.types.some((member) => checker.getPropertiesOfType(member).length > 0)) return type
  // The narrowest of several records has the fields of all. So the type of `Record<string, Json> & Record<string, Json |
  // undefined>` ends, which contains itself.
  return type.types.find((record) => type.types.every((other) => checker.isTypeAssignableTo(record, other))) ?? type
}

function isPrimitive({ flags }: ts.Type, { ts }: CompilerScope): boolean {
  const { StringLike, NumberLike, BooleanLike, BigIntLike } = ts.TypeFlags
  return Boolean(flags & (StringLike | NumberLike | BooleanLike | BigIntLike))
}

/** `{ kind: 'circle' } & { kind: 'square' }` is nothing, which the checker keeps as it is written. */
export function isImpossible(type: ts.Type, { checker }: CompilerScope): boolean {
  return type.isIntersection() && checker.isTypeAssignableTo(type, checker.getNeverType())
}
