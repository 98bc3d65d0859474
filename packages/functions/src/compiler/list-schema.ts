import type { JSONSchema } from '@agentkit/core'
import type { ts } from 'ts-morph'
import type { CompilerScope, Place } from './compiler-scope.ts'

export function listSchema(type: ts.TypeReference, place: Place, scope: CompilerScope): JSONSchema {
  const [item] = scope.checker.getTypeArguments(type)
  // An array type has one argument.
  const items = scope.schemaOf(item as ts.Type, { ...place, path: `${place.path}[]`, typeNode: itemNode(place, scope) })
  return { type: 'array', items }
}

/** `Port` of `Port[]` and `Array<Port>`. */
function itemNode({ typeNode }: Place, { ts }: CompilerScope): ts.TypeNode | undefined {
  if (!typeNode) return undefined
  if (ts.isParenthesizedTypeNode(typeNode) || ts.isTypeOperatorNode(typeNode)) {
    return itemNode({ path: '', described: false, typeNode: typeNode.type }, { ts } as CompilerScope)
  }
  if (ts.isArrayTypeNode(typeNode)) return typeNode.elementType
  return ts.isTypeReferenceNode(typeNode) && typeNode.typeArguments?.length === 1
    ? typeNode.typeArguments[0]
    : undefined
}

export function tupleSchema(type: ts.TupleTypeReference, place: Place, scope: CompilerScope): JSONSchema {
  const { elementFlags, minLength } = type.target
  const types = scope.checker.getTypeArguments(type)
  const schemas = types.map((item, index) =>
    scope.schemaOf(item, { ...place, path: `${place.path}[${index}]`, typeNode: elementNode(place, index, scope) }),
  )
  const rest = elementFlags.findIndex((flag) => flag & scope.ts.ElementFlags.Variable)
  const items = rest === -1 ? false : (schemas[rest] ?? false)
  const prefixItems = rest === -1 ? schemas : schemas.slice(0, rest)
  const maxItems = rest === -1 ? { maxItems: prefixItems.length } : {}
  return { type: 'array', ...(prefixItems.length > 0 && { prefixItems }), items, minItems: minLength, ...maxItems }
}

/** `Port` of `[Port, Port]`, `[from: Port]`, `[Port?]` and `[...Port[]]`. */
function elementNode({ typeNode }: Place, index: number, { ts }: CompilerScope): ts.TypeNode | undefined {
  const list = typeNode && ts.isTypeOperatorNode(typeNode) ? typeNode.type : typeNode
  const element = list && ts.isTupleTypeNode(list) ? list.elements[index] : undefined
  const node = element && ts.isNamedTupleMember(element) ? element.type : element
  if (node && ts.isOptionalTypeNode(node)) return node.type
  return node && ts.isRestTypeNode(node) && ts.isArrayTypeNode(node.type) ? node.type.elementType : node
}
