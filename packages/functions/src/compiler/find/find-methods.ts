import type { ts } from 'ts-morph'
import {
  accessTo,
  type FoundFunction,
  foundFunction,
  hasModifier,
  overloadsBefore,
  type Place,
  unwrapped,
} from './found-function.ts'

/** The methods of a class, and its fields that are functions. Of two with the same name, the last one counts. */
export function methodsOfClass(typescript: typeof ts, node: ts.ClassLikeDeclaration, owner: Place): FoundFunction[] {
  const { StaticKeyword, AccessorKeyword, PrivateKeyword, ProtectedKeyword } = typescript.SyntaxKind
  const byName = new Map<string, FoundFunction[]>()
  for (const member of node.members) {
    // A declaration without a body is an overload or a type.
    if (typescript.isMethodDeclaration(member) && !member.body) continue
    if (mayHaveAnyName(typescript, member.name)) byName.clear()
    const name = literalName(typescript, member.name)
    if (name === undefined) continue
    const isStatic = hasModifier(typescript, member, StaticKeyword)
    const key = isStatic ? `static ${name}` : name
    byName.delete(key)
    byName.set(key, inMember(member, name, isStatic))
  }
  return [...byName.values()].flat()

  function inMember(member: ts.ClassElement, name: string, isStatic: boolean): FoundFunction[] {
    const isHidden =
      hasModifier(typescript, member, PrivateKeyword) || hasModifier(typescript, member, ProtectedKeyword)
    const visible = isHidden ? { ...owner, exportPath: undefined } : owner
    if (typescript.isMethodDeclaration(member)) {
      const place = memberPlace(isStatic ? visible : prototypePlace(visible), name, member)
      return [{ ...foundFunction(typescript, member, place, owner), overloads: overloadsBefore(member, node.members) }]
    }
    if (!typescript.isPropertyDeclaration(member) || !member.initializer) return []
    if (hasModifier(typescript, member, AccessorKeyword)) return []
    const value = unwrapped(typescript, member.initializer)
    if (!typescript.isArrowFunction(value) && !typescript.isFunctionExpression(value)) return []
    const place = isStatic
      ? memberPlace(visible, name, member)
      : { name, reference: `${owner.reference}#${name}`, exportPath: undefined, documented: member }
    return [foundFunction(typescript, value, place, owner)]
  }
}

/** The functions of an object literal and of nested ones. */
export function methodsOfObject(
  typescript: typeof ts,
  node: ts.ObjectLiteralExpression,
  owner: Place,
): FoundFunction[] {
  const byName = new Map<string, FoundFunction[]>()
  for (const property of node.properties) {
    // A spread may replace earlier properties.
    if (typescript.isSpreadAssignment(property) || mayHaveAnyName(typescript, property.name)) byName.clear()
    const name = literalName(typescript, property.name)
    if (name === undefined) continue
    byName.delete(name)
    byName.set(name, inProperty(property, memberPlace(owner, name, property)))
  }
  return [...byName.values()].flat()

  function inProperty(property: ts.ObjectLiteralElementLike, place: Place): FoundFunction[] {
    if (typescript.isMethodDeclaration(property)) return [foundFunction(typescript, property, place, owner)]
    if (!typescript.isPropertyAssignment(property) || place.name === '__proto__') return []
    const value = unwrapped(typescript, property.initializer)
    if (typescript.isObjectLiteralExpression(value)) return methodsOfObject(typescript, value, place)
    if (!typescript.isArrowFunction(value) && !typescript.isFunctionExpression(value)) return []
    return [foundFunction(typescript, value, place, owner)]
  }
}

/** The name of a property, unless it is computed. */
function literalName(typescript: typeof ts, name: ts.PropertyName | undefined): string | undefined {
  return name && (typescript.isIdentifier(name) || typescript.isStringLiteral(name)) ? name.text : undefined
}

function mayHaveAnyName(typescript: typeof ts, name: ts.PropertyName | undefined): boolean {
  return name !== undefined && typescript.isComputedPropertyName(name) && !/^\[\s*Symbol\./.test(name.getText())
}

function prototypePlace(owner: Place): Place {
  const exportPath = owner.exportPath && [...owner.exportPath, 'prototype']
  return { ...owner, reference: `${owner.reference}.prototype`, exportPath }
}

function memberPlace(owner: Place, name: string, documented: ts.Node): Place {
  const exportPath = owner.exportPath && [...owner.exportPath, name]
  return { name, reference: owner.reference + accessTo(name), exportPath, documented }
}
