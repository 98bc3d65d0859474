import type { JSONSchema } from '@agentkit/core'
import type { ts } from 'ts-morph'
import { fieldComment } from '../docs/annotations.ts'
import type { CompilerScope, Place } from '../scope/compiler-scope.ts'
import { keyPattern } from './template-pattern.ts'
import { failType } from './untranslatable.ts'

/** An object of known fields, closed; or one that is open to further keys. */
export function objectSchema(type: ts.Type, place: Place, scope: CompilerScope): JSONSchema {
  const { ts, checker } = scope
  const known = checker.getPropertiesOfType(type)
  const indexes = checker.getIndexInfosOfType(type)
  if (known.length + indexes.length === 0) {
    if (type.aliasTypeArguments?.some(({ flags }) => flags & ts.TypeFlags.Instantiable))
      failType('keys', type, place, scope)
    // In TypeScript, the type `{}` is not an empty object.
    if (type.symbol?.flags & (ts.SymbolFlags.TypeLiteral | ts.SymbolFlags.ObjectLiteral)) return { type: 'object' }
  }
  const properties: [string, JSONSchema][] = []
  const required: string[] = []
  for (const property of known) {
    // The checker's names of symbol keys, which JSON does not have.
    if (String(property.escapedName).startsWith('__@')) continue
    const { schema, optional } = propertySchema(property, place, scope)
    if (schema) properties.push([property.name, schema])
    if (!optional) required.push(property.name)
  }
  const record = recordSchema(indexes, properties.length === 0, place, scope)
  // An open object has no fields of its own.
  const fields = properties.length > 0 || !record ? { properties: Object.fromEntries(properties) } : {}
  return {
    type: 'object',
    ...fields,
    ...(required.length > 0 && { required }),
    ...(record ?? { additionalProperties: false }),
  }
}

function propertySchema(
  property: ts.Symbol,
  place: Place,
  scope: CompilerScope,
): { schema?: JSONSchema; optional: boolean } {
  const { ts, checker } = scope
  const type = checker.getTypeOfSymbol(property)
  const members = type.isUnion() ? type.types : [type]
  const isUndefined = ({ flags }: ts.Type): boolean => Boolean(flags & ts.TypeFlags.Undefined)
  // `{ by: 'name'; id?: never }` has no `id`.
  if (members.every(isUndefined)) return { optional: true }
  const path = place.path === '' ? property.name : `${place.path}.${property.name}`
  // A field of a mapped type has the declaration of its original field, and may have another type.
  const isMapped = property.valueDeclaration === undefined
  const typeNode = declaredNode(property, scope)
  const comment = fieldComment(property, path, scope)
  const schema = scope.schemaOf(type, { path, typeNode, described: false, isMapped }, comment)
  return { schema, optional: members.some(isUndefined) || Boolean(property.flags & ts.SymbolFlags.Optional) }
}

function declaredNode(property: ts.Symbol, { ts }: CompilerScope): ts.TypeNode | undefined {
  const declaration = property.declarations?.[0]
  if (!declaration) return undefined
  if (ts.isPropertySignature(declaration) || ts.isPropertyDeclaration(declaration)) return declaration.type
  // JavaScript's fields are tags.
  const type = ts.isJSDocPropertyTag(declaration) ? declaration.typeExpression : undefined
  return type && ts.isJSDocTypeExpression(type) ? type.type : undefined
}

/** The keys in addition to the named ones: `Record<string, number>`, and those with a pattern. */
function recordSchema(
  indexes: readonly ts.IndexInfo[],
  isAlone: boolean,
  place: Place,
  scope: CompilerScope,
): JSONSchema | undefined {
  const { TypeFlags } = scope.ts
  const byPattern: [string, JSONSchema][] = []
  let others: JSONSchema | boolean = false
  for (const { keyType, type, declaration } of indexes) {
    // `Record<string, never>` is an object without keys.
    if (keyType.flags & TypeFlags.ESSymbol || type.flags & TypeFlags.Never) continue
    // A value type for all keys needs no pattern.
    if (
      indexes.some(
        (other) => other.keyType !== keyType && other.keyType.flags & TypeFlags.String && other.type === type,
      )
    )
      continue
    const typeNode = declaration?.type ?? valueNode(place, scope)
    // `Record<string, unknown>` explicitly allows any value.
    const described = place.described || Boolean(type.flags & TypeFlags.Unknown)
    const value = scope.schemaOf(type, { path: `${place.path}.*`, typeNode, described })
    const pattern = keyPattern(keyType, scope)
    if (pattern !== undefined) byPattern.push([pattern, value])
    else others = value
  }
  const [only] = byPattern
  if (!only) return others === false ? undefined : { additionalProperties: others }
  if (isAlone && byPattern.length === 1 && others === false) {
    // More providers enforce one type for all values than types for some.
    return { propertyNames: { pattern: only[0] }, additionalProperties: only[1] }
  }
  return { patternProperties: Object.fromEntries(byPattern), additionalProperties: others }
}

/** `Port` of `Record<string, Port>` and `{ [Key in string]: Port }`. */
function valueNode({ typeNode }: Place, { ts }: CompilerScope): ts.TypeNode | undefined {
  if (!typeNode) return undefined
  if (ts.isMappedTypeNode(typeNode)) return typeNode.type
  return ts.isTypeReferenceNode(typeNode) && typeNode.typeName.getText() === 'Record'
    ? typeNode.typeArguments?.[1]
    : undefined
}
