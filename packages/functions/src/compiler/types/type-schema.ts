import type { JSONSchema } from '@agentkit/core'
import type { ts } from 'ts-morph'
import type { CompilerScope, Place } from '../scope/compiler-scope.ts'
import { isInstance, isLibraryType } from '../scope/library-type.ts'
import { isImpossible, unbranded } from '../scope/unbranded.ts'
import { listSchema, tupleSchema } from './list-schema.ts'
import { objectSchema } from './object-schema.ts'
import { writtenString } from './template-pattern.ts'
import { unionSchema } from './union-schema.ts'
import { failClass, failType, failUnbound, failUnresolved } from './untranslatable.ts'

/** More than any model fills in; a type of this size is not meant as input. */
const mostTypes = 2_000
const deepestType = 40

/**
 * Converts a type to JSON Schema (2020-12) as a careful author would write it: closed objects, optional properties as
 * in TypeScript, and definitions only for recursive types.
 * @throws AgentKitError `invalid-argument` with place, type and what to write instead, for types that JSON does not have
 */
export function typeSchema(type: ts.Type, place: Place, scope: CompilerScope): JSONSchema {
  if (++scope.translated > mostTypes || scope.open.size > deepestType) failType('depth', type, place, scope)
  return plainSchema(type, place, scope) ?? definedSchema(type, place, scope)
}

/** Types without nested types. */
function plainSchema(type: ts.Type, place: Place, scope: CompilerScope): JSONSchema | undefined {
  const { TypeFlags } = scope.ts
  const { flags } = type
  if (flags & (TypeFlags.Any | TypeFlags.Unknown)) return anySchema(type, place, scope)
  if (type.isStringLiteral()) return { type: 'string', const: type.value }
  if (type.isNumberLiteral()) return { type: 'number', const: type.value }
  if (flags & TypeFlags.BooleanLiteral) return { type: 'boolean', const: scope.checker.typeToString(type) === 'true' }
  if (flags & (TypeFlags.TemplateLiteral | TypeFlags.StringMapping)) return writtenString(type, scope)
  if (flags & TypeFlags.Enum) return failType('enum', type, place, scope)
  if (flags & TypeFlags.StringLike && !type.isUnion()) return { type: 'string' }
  if (flags & TypeFlags.NumberLike && !type.isUnion()) return { type: 'number' }
  if (flags & TypeFlags.Boolean) return { type: 'boolean' }
  if (flags & TypeFlags.Null) return { type: 'null' }
  if (flags & TypeFlags.BigIntLike) return failType('bigInt', type, place, scope)
  if (flags & TypeFlags.ESSymbolLike) return failType('symbol', type, place, scope)
  if (flags & (TypeFlags.VoidLike | TypeFlags.Never)) return failType('noValue', type, place, scope)
  if (flags & TypeFlags.NonPrimitive) return { type: 'object' }
  return undefined
}

/** The checker's error type is an `any` with another name, which its public types do not expose. */
export function isUnresolved(type: ts.Type): boolean {
  return (type as ts.Type & { intrinsicName?: string }).intrinsicName === 'error'
}

function anySchema(type: ts.Type, place: Place, scope: CompilerScope): JSONSchema {
  if (isUnresolved(type)) return failUnresolved(place, scope)
  return place.described ? {} : failType('any', type, place, scope)
}

/** Types with nested types, which may be recursive. */
function definedSchema(type: ts.Type, place: Place, scope: CompilerScope): JSONSchema {
  const { open, named, definitions } = scope
  const known = named.get(type)
  if (known !== undefined) return reference(known)
  if (open.has(type)) {
    const name = definitionName(type, scope)
    named.set(type, name)
    return reference(name)
  }
  open.add(type)
  const schema = compositeSchema(type, place, scope)
  open.delete(type)
  const name = named.get(type)
  if (name === undefined) return schema
  definitions.set(name, schema)
  return reference(name)
}

function reference(name: string): JSONSchema {
  return { $ref: `#/$defs/${name}` }
}

function definitionName(type: ts.Type, { named }: CompilerScope): string {
  const name = (type.aliasSymbol ?? type.symbol)?.name.replace(/[^A-Za-z0-9_]/g, '').replace(/^__(type|object)$/, '')
  const taken = new Set(named.values())
  for (let count = 1; ; count++) {
    const candidate = `${name || 'Value'}${count === 1 ? '' : count}`
    if (!taken.has(candidate)) return candidate
  }
}

function compositeSchema(type: ts.Type, place: Place, scope: CompilerScope): JSONSchema {
  const { ts, checker } = scope
  if (type.isUnion()) return unionSchema(type, place, scope)
  if (type.flags & ts.TypeFlags.Index) return keysSchema((type as ts.IndexType).type, place, scope)
  if (isImpossible(type, scope)) return failType('noValue', type, place, scope)
  const bound = boundOf(type, scope)
  if (type.flags & ts.TypeFlags.Instantiable && (!bound || bound.flags & (ts.TypeFlags.Any | ts.TypeFlags.Unknown))) {
    return failUnbound(type, place, scope)
  }
  const plain = unbranded(bound ?? type, scope)
  if (plain !== type) return typeSchema(plain, place, scope)
  if (checker.isTupleType(type)) return tupleSchema(type as ts.TupleTypeReference, place, scope)
  if (checker.isArrayType(type)) return listSchema(type as ts.TypeReference, place, scope)
  if (type.getCallSignatures().length > 0 || type.getConstructSignatures().length > 0) {
    return failType('function', type, place, scope)
  }
  if (isLibraryType(type, 'Date', scope)) return dateSchema(scope)
  // JavaScript's comments use it for any object.
  if (isLibraryType(type, 'Object', scope)) return { type: 'object' }
  if (isInstance(type, scope)) return failClass(type, place, scope)
  return objectSchema(type, place, scope)
}

/** `keyof T`: the keys of what `T` is bound to. */
function keysSchema(of: ts.Type, place: Place, scope: CompilerScope): JSONSchema {
  const { checker } = scope
  const keys = checker.getPropertiesOfType(checker.getBaseConstraintOfType(of) ?? of).map(({ name }) => name)
  return keys.length > 0 ? { type: 'string', enum: keys } : failUnbound(of, place, scope)
}

/** The constraint of a type parameter: `string` for `Name` of `<Name extends string>`. */
function boundOf(type: ts.Type, { ts, checker }: CompilerScope): ts.Type | undefined {
  // The written constraint is used, because the checker resolves `keyof T` to `string | number | symbol`.
  const written = type.symbol?.declarations?.find(ts.isTypeParameterDeclaration)?.constraint
  return written ? checker.getTypeFromTypeNode(written) : checker.getBaseConstraintOfType(type)
}

function dateSchema({ dates }: CompilerScope): JSONSchema {
  const schema: JSONSchema = { type: 'string', format: 'date-time' }
  dates.add(schema)
  return schema
}
