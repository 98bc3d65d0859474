import { isDeepStrictEqual } from 'node:util'
import type { JSONSchema } from '@agentkit/core'
import type { ts } from 'ts-morph'
import type { CompilerScope, Place } from '../scope/compiler-scope.ts'
import { declarationsOf, inDeclaredOrder } from '../scope/declared-order.ts'
import { isImpossible, unbranded } from '../scope/unbranded.ts'
import { failType } from './untranslatable.ts'

/**
 * A union: literals as an enum, one plain type and null as a list of types, everything else as `anyOf`. `undefined`
 * is not a value but its absence, which `required` expresses.
 */
export function unionSchema(type: ts.UnionType, place: Place, scope: CompilerScope): JSONSchema {
  const { Null, Undefined, Void } = scope.ts.TypeFlags
  const members = inDeclaredOrder(type, place.typeNode, scope).filter((member) => !isImpossible(member, scope))
  const isNullable = members.some(({ flags }) => flags & Null)
  const kinds = Map.groupBy(
    members.filter(({ flags }) => !(flags & (Null | Undefined | Void))),
    (member) => literalKind(member, scope) ?? member,
  )
  const schemas = [...kinds].map(([kind, literals]) =>
    typeof kind === 'string'
      ? literalSchema(kind, literals, scope)
      : scope.schemaOf(kind, memberPlace(kind, place, scope)),
  )
  // Types may differ only in ways that JSON does not have: `UserId | OrderId`.
  const distinct = schemas.filter(
    (schema, index) => schemas.findIndex((other) => isDeepStrictEqual(schema, other)) === index,
  )
  const [only] = distinct
  if (!only) return isNullable ? { type: 'null' } : failType('noValue', type, place, scope)
  if (distinct.length === 1) return isNullable ? orNull(only, scope) : only
  return { anyOf: isNullable ? [...distinct, { type: 'null' }] : distinct }
}

type LiteralKind = 'string' | 'number' | 'boolean'

/** Groups literals of the same type. */
function literalKind(member: ts.Type, scope: CompilerScope): LiteralKind | undefined {
  const literal = unbranded(member, scope)
  if (literal.isStringLiteral()) return 'string'
  if (literal.isNumberLiteral()) return 'number'
  return literal.flags & scope.ts.TypeFlags.BooleanLiteral ? 'boolean' : undefined
}

function literalSchema(type: LiteralKind, literals: ts.Type[], scope: CompilerScope): JSONSchema {
  // The checker holds `boolean` as `true | false`.
  if (type === 'boolean' && literals.length === 2) return { type }
  const values = literals.map((literal) => valueOfLiteral(unbranded(literal, scope), scope))
  return values.length === 1 ? { type, const: values[0] } : { type, enum: values }
}

function valueOfLiteral(literal: ts.Type, { checker }: CompilerScope): string | number | boolean {
  return literal.isStringLiteral() || literal.isNumberLiteral()
    ? literal.value
    : checker.typeToString(literal) === 'true'
}

/** A member where the union's text names it, so that the annotations of `Port` apply in `Port | 'auto'`. */
function memberPlace(member: ts.Type, { path, described, typeNode }: Place, scope: CompilerScope): Place {
  const nodes = typeNode ? memberNodes(typeNode, scope) : []
  return { path, described, typeNode: nodes.find((node) => scope.checker.getTypeFromTypeNode(node) === member) }
}

function memberNodes(node: ts.TypeNode, scope: CompilerScope): readonly ts.TypeNode[] {
  const { ts } = scope
  if (ts.isParenthesizedTypeNode(node)) return memberNodes(node.type, scope)
  if (ts.isUnionTypeNode(node)) return node.types
  const alias = ts.isTypeReferenceNode(node)
    ? declarationsOf(node.typeName, scope).find(ts.isTypeAliasDeclaration)
    : undefined
  return alias ? memberNodes(alias.type, scope) : [node]
}

const nullable = new Set(['string', 'number', 'integer', 'boolean'])

function orNull(schema: JSONSchema, scope: CompilerScope): JSONSchema {
  const { type, const: only, enum: several, ...rest } = schema
  if (typeof type !== 'string' || !nullable.has(type)) return { anyOf: [schema, { type: 'null' }] }
  const values = Array.isArray(several) ? several : only === undefined ? undefined : [only]
  return scope.instead(schema, { type: [type, 'null'], ...(values && { enum: [...values, null] }), ...rest })
}
