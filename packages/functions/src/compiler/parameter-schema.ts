import type { JSONSchema, JSONValue } from '@agentkit/core'
import type { ts } from 'ts-morph'
import { commentOf, docstringOf, overruled } from './docs/annotations.ts'
import { boundedType, fieldOf, type InputParameter } from './parameters.ts'
import type { CompilerScope } from './scope/compiler-scope.ts'
import { literalValue } from './types/literal-value.ts'
import { typeSchema } from './types/type-schema.ts'

/** The schema of one parameter, with its description and its default. */
export function parameterSchema({ node, name }: InputParameter, scope: CompilerScope): JSONSchema {
  scope.node = node
  const typeNode = typeNodeOf(node, scope)
  // The docstring takes precedence over a comment in the parameter list.
  const own = overruled(commentOf(node, name, scope), docstringOf(name, scope))
  // JavaScript comments may use the type `integer`, which TypeScript does not have.
  const isInteger = typeNode?.getText() === 'integer'
  const type = isInteger ? scope.checker.getNumberType() : declaredType(node, scope)
  const schema = scope.schemaOf(type, { path: name, typeNode, described: false }, own)
  const initial = node.initializer && literalValue(node.initializer, scope)
  const described = withFieldDefaults(schema, node.name, scope)
  return initial === undefined ? described : scope.instead(described, { ...described, default: initial })
}

/** The schema of the parameter that is the whole input: its properties and the required ones. */
export function wholeSchema({ node }: InputParameter, scope: CompilerScope): JSONSchema {
  scope.node = node
  const place = { path: '', typeNode: typeNodeOf(node, scope), described: false }
  const type = scope.checker.getNonNullableType(boundedType(declaredType(node, scope), scope))
  const schema = typeSchema(type, place, scope)
  // A recursive one is a reference to its definition; the input gets the definition's fields.
  const definition = scope.definitions.get(scope.named.get(type) ?? '')
  const { properties, required } = withFieldDefaults(definition ?? schema, node.name, scope)
  return { properties, ...(required !== undefined && { required }) }
}

function typeNodeOf(node: ts.ParameterDeclaration, { ts }: CompilerScope): ts.TypeNode | undefined {
  return node.type ?? ts.getJSDocType(node)
}

/** The type as it is written: inside the function, the type of an optional parameter also includes undefined. */
function declaredType(node: ts.ParameterDeclaration, { checker }: CompilerScope): ts.Type {
  return node.type ? checker.getTypeFromTypeNode(node.type) : checker.getTypeAtLocation(node)
}

/** The defaults of `{ days = 3 }`: those fields are optional. */
function withFieldDefaults(schema: JSONSchema, pattern: ts.BindingName, scope: CompilerScope): JSONSchema {
  if (!scope.ts.isObjectBindingPattern(pattern) || !schema.properties) return schema
  // The value of `properties` is an object of schemas.
  const properties = { ...(schema.properties as Record<string, JSONSchema>) }
  const defaulted = new Set<string>()
  for (const element of pattern.elements) {
    const { name, initializer } = element
    const field = fieldOf(element, scope)
    const own = field !== undefined && Object.hasOwn(properties, field) ? properties[field] : undefined
    if (field === undefined || !own) continue
    const initial: JSONValue | undefined = initializer && literalValue(initializer, scope)
    const inner = withFieldDefaults(own, name, scope)
    properties[field] = initial === undefined ? inner : scope.instead(own, { ...inner, default: initial })
    if (initializer) defaulted.add(field)
  }
  const { required, ...rest } = schema
  const still = Array.isArray(required) ? required.filter((field) => !defaulted.has(field)) : []
  return { ...rest, properties, ...(still.length > 0 && { required: still }) }
}
