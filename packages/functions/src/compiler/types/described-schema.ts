import type { JSONSchema } from '@agentkit/core'
import type { ts } from 'ts-morph'
import { namedAnnotations, noAnnotations, overruled } from '../docs/annotations.ts'
import { applyKeywords } from '../docs/schema-tags.ts'
import type { Annotations, CompilerScope, Place } from '../scope/compiler-scope.ts'
import { isUnresolved, typeSchema } from './type-schema.ts'
import { failUnresolved } from './untranslatable.ts'

/**
 * A type's schema with its annotations: from the comment at its location, or from the comments of the types that it names.
 * @param own the annotations at the location itself
 */
export function describedSchema(
  type: ts.Type,
  place: Place,
  scope: CompilerScope,
  own: Annotations = noAnnotations,
): JSONSchema {
  const inherited = place.typeNode ? namedAnnotations(place.typeNode, place, scope) : noAnnotations
  const { description, keywords } = overruled(inherited, own)
  const unresolved = place.typeNode && unresolvedIn(place.typeNode, scope)
  if (unresolved) failUnresolved({ ...place, typeNode: unresolved }, scope)
  if (place.typeNode) scope.typeNodes.push(place.typeNode)
  const schema = typeSchema(type, { ...place, described: place.described || Boolean(description) }, scope)
  if (place.typeNode) scope.typeNodes.pop()
  const annotated = applyKeywords(schema, keywords, place, scope)
  return scope.instead(annotated, description ? { ...annotated, description } : annotated)
}

/**
 * A type that is not found, inside another type. A type derived from it, such as the keys of a `Record`, may look like
 * a different type.
 */
function unresolvedIn(node: ts.Node, scope: CompilerScope): ts.TypeNode | undefined {
  const { ts, checker } = scope
  const isName = ts.isTypeReferenceNode(node) || ts.isImportTypeNode(node)
  if (isName && node.getText() !== 'integer' && isUnresolved(checker.getTypeFromTypeNode(node))) return node
  return ts.forEachChild(node, (child) => unresolvedIn(child, scope))
}
