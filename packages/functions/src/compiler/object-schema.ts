import type { JSONSchema } from '@agentkit/core'
import type { ts } from 'ts-morph'
import { fieldComment } from './annotations.ts'
import type { CompilerScope, Place } from './compiler-scope.ts'
import { templatePattern } from './template-pattern.ts'
import { failFunction } from './untranslatable.ts'

/** An object of known fields, closed; or one that is open to further keys. */
export function objectSchema(type: ts.Type, place: Place, scope: CompilerScope): JSONSchema {
  const properties: [string, JSONSchema][] = []
  const required: string[] = []
  for (const property of scope.checker.getPropertiesOfType(type)) {
    // Symbols as keys are no part of JSON.
    if (property.name.startsWith('__@')) continue
    const { schema, optional } = propertySchema(property, place, scope)
    if (schema) properties.push([property.name, schema])
    if (schema && !optional) required.push(property.name)
  }
  const record = recordSchema(type, place, scope)
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
  const { TypeFlags } = ts
  const members = type.isUnion() ? type.types : [type]
  const optional =
    Boolean(property.flags & ts.SymbolFlags.Optional) || members.some(({ flags }) => flags & TypeFlags.Undefined)
  // `{ by: 'name'; id?: never }` says that there is no `id`.
  if (optional && members.every(({ flags }) => flags & (TypeFlags.Undefined | TypeFlags.Never))) return { optional }
  const path = place.path === '' ? property.name : `${place.path}.${property.name}`
  // What a mapped type makes of a library's class, such as `{ [Key in keyof Date]?: … }`, is nothing to fill in.
  if (isLibraryMethod(property, scope)) failFunction(type, { path, typeNode: undefined, described: false }, scope)
  const comment = fieldComment(property, path, scope)
  const schema = scope.schemaOf(type, { path, typeNode: declaredNode(property, scope), described: false }, comment)
  return { schema, optional }
}

function isLibraryMethod({ declarations }: ts.Symbol, { ts, isLibrary }: CompilerScope): boolean {
  return declarations?.some((found) => ts.isMethodSignature(found) && isLibrary(found.getSourceFile())) ?? false
}

function declaredNode(property: ts.Symbol, { ts }: CompilerScope): ts.TypeNode | undefined {
  const declaration = property.valueDeclaration ?? property.declarations?.[0]
  if (!declaration) return undefined
  if (ts.isPropertySignature(declaration) || ts.isPropertyDeclaration(declaration)) return declaration.type
  // JavaScript's fields are tags.
  const type = ts.isJSDocPropertyTag(declaration) ? declaration.typeExpression : undefined
  return type && ts.isJSDocTypeExpression(type) ? type.type : undefined
}

/** What keys beside the named ones there may be: `Record<string, number>`, and those with a pattern. */
function recordSchema(type: ts.Type, place: Place, scope: CompilerScope): JSONSchema | undefined {
  const { ts, checker } = scope
  const byPattern: [string, JSONSchema][] = []
  let others: JSONSchema | boolean = false
  for (const { keyType, type: valueType, declaration } of checker.getIndexInfosOfType(type)) {
    // `Record<string, never>` is an object without keys.
    if (keyType.flags & ts.TypeFlags.ESSymbol || valueType.flags & ts.TypeFlags.Never) continue
    const value = valueSchema(
      valueType,
      { ...place, path: `${place.path}.*`, typeNode: declaration?.type ?? valueNode(place, scope) },
      scope,
    )
    if (keyType.flags & ts.TypeFlags.TemplateLiteral) {
      byPattern.push([String(templatePattern(keyType as ts.TemplateLiteralType, scope).pattern), value])
    } else others = value
  }
  if (byPattern.length === 0 && others === false) return undefined
  return {
    ...(byPattern.length > 0 && { patternProperties: Object.fromEntries(byPattern) }),
    additionalProperties: others,
  }
}

/** `Record<string, unknown>` says aloud that anything may stand there. */
function valueSchema(type: ts.Type, place: Place, scope: CompilerScope): JSONSchema {
  const anything = type.flags & scope.ts.TypeFlags.Unknown
  return scope.schemaOf(type, anything ? { ...place, described: true } : place)
}

/** `Port` of `Record<string, Port>`. */
function valueNode({ typeNode }: Place, { ts }: CompilerScope): ts.TypeNode | undefined {
  if (!typeNode || !ts.isTypeReferenceNode(typeNode) || typeNode.typeName.getText() !== 'Record') return undefined
  return typeNode.typeArguments?.[1]
}
