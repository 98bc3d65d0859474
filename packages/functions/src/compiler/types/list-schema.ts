import type { JSONSchema } from '@agentkit/core'
import type { ts } from 'ts-morph'
import type { CompilerScope, Place } from '../scope/compiler-scope.ts'
import { failType } from './untranslatable.ts'

export function listSchema(type: ts.TypeReference, place: Place, scope: CompilerScope): JSONSchema {
  const [item] = scope.checker.getTypeArguments(type)
  // An array type has one argument.
  const items = scope.schemaOf(item as ts.Type, {
    ...place,
    path: `${place.path}[]`,
    typeNode: itemNode(place.typeNode, scope),
  })
  return { type: 'array', items }
}

/** `Port` of `Port[]` and `Array<Port>`. */
function itemNode(typeNode: ts.TypeNode | undefined, scope: CompilerScope): ts.TypeNode | undefined {
  const { ts } = scope
  if (!typeNode) return undefined
  if (ts.isParenthesizedTypeNode(typeNode) || ts.isTypeOperatorNode(typeNode)) return itemNode(typeNode.type, scope)
  if (ts.isArrayTypeNode(typeNode)) return typeNode.elementType
  return ts.isTypeReferenceNode(typeNode) && typeNode.typeArguments?.length === 1
    ? typeNode.typeArguments[0]
    : undefined
}

/** @throws AgentKitError `invalid-argument` for a tuple with items after its rest, which JSON Schema cannot express */
export function tupleSchema(type: ts.TupleTypeReference, place: Place, scope: CompilerScope): JSONSchema {
  const { elementFlags, minLength } = type.target
  const nodes = elementNodes(place, elementFlags.length, scope)
  const schemas = scope.checker
    .getTypeArguments(type)
    .map((item, index) => scope.schemaOf(item, { ...place, path: `${place.path}[${index}]`, typeNode: nodes[index] }))
  const rest = elementFlags.findIndex((flag) => flag & scope.ts.ElementFlags.Variable)
  if (rest === -1)
    return { type: 'array', ...firstItems(schemas), items: false, minItems: minLength, maxItems: schemas.length }
  if (rest !== schemas.length - 1) return failType('rest', type, place, scope)
  return { type: 'array', ...firstItems(schemas.slice(0, rest)), items: schemas[rest], minItems: minLength }
}

function firstItems(prefixItems: JSONSchema[]): JSONSchema {
  return prefixItems.length > 0 ? { prefixItems } : {}
}

/** `Port` of `[Port, Port]`, `[from: Port]`, `[Port?]` and `[...Port[]]`; none where other tuples are spread into it. */
function elementNodes({ typeNode }: Place, length: number, scope: CompilerScope): (ts.TypeNode | undefined)[] {
  const { ts } = scope
  const list = typeNode && ts.isTypeOperatorNode(typeNode) ? typeNode.type : typeNode
  if (!list || !ts.isTupleTypeNode(list) || list.elements.length !== length) return []
  return list.elements.map((element) => {
    const node = ts.isNamedTupleMember(element) ? element.type : element
    if (ts.isOptionalTypeNode(node)) return node.type
    if (ts.isRestTypeNode(node)) return itemNode(node.type, scope)
    return ts.isNamedTupleMember(element) && element.dotDotDotToken ? itemNode(node, scope) : node
  })
}
