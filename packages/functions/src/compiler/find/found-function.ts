import type { ts } from 'ts-morph'

/** A function that code inside or outside of its module may use as a tool. */
export type FoundFunction = {
  /** The tool's name: the function's; for an anonymous default export the file's, in camelCase. */
  name: string
  /**
   * How code in the file refers to it: `getReceipt`, `Calculator.prototype.add`, `tools.add`, `default`;
   * `Calculator#add` for a field that each instance has of its own.
   */
  reference: string
  /** The line on which it begins, from 1. */
  line: number
  /** The path for an importing module: `['Calculator', 'prototype', 'add']`. Absent if it is not exported. */
  exportPath?: string[]
  /** The declaration with the body. */
  node: ts.FunctionLikeDeclaration
  overloads: ts.SignatureDeclaration[]
  /** The node with its JSDoc: the function, the statement, the method, the property. */
  documented: ts.Node
  /** The class or object that it is a method of, when it uses `this` or `super`. */
  methodOf?: string
}

/** How a value of a module is found. */
export type Place = { name: string; reference: string; exportPath: string[] | undefined; documented: ts.Node }

/** A function at its location. `owner`: the class or object that contains it. */
export function foundFunction(
  typescript: typeof ts,
  node: ts.FunctionLikeDeclaration,
  { name, reference, exportPath, documented }: Place,
  owner?: Place,
): FoundFunction {
  const file = node.getSourceFile()
  const line = file.getLineAndCharacterOfPosition(documented.getStart(file)).line + 1
  const found: FoundFunction = { name, reference, line, node, overloads: [], documented }
  if (exportPath) found.exportPath = exportPath
  if (owner && usesReceiver(typescript, node)) {
    found.methodOf = owner.reference === 'default' ? owner.name : owner.reference
  }
  return found
}

/** Whether a function uses the `this` that it is called with, or `super`. An arrow function has no `this` of its own. */
function usesReceiver(typescript: typeof ts, node: ts.FunctionLikeDeclaration): boolean {
  if (typescript.isArrowFunction(node)) return false
  return node.parameters.some(mentions) || (node.body !== undefined && mentions(node.body))

  function mentions(part: ts.Node): boolean {
    const { ThisKeyword, SuperKeyword } = typescript.SyntaxKind
    if (part.kind === ThisKeyword || part.kind === SuperKeyword) return true
    return !hasOwnReceiver(part) && (typescript.forEachChild(part, mentions) ?? false)
  }

  function hasOwnReceiver(part: ts.Node): boolean {
    return typescript.isClassLike(part) || (typescript.isFunctionLike(part) && !typescript.isArrowFunction(part))
  }
}

/** `.add`, `["add-all"]` */
export function accessTo(name: string): string {
  return /^[\p{ID_Start}$_][\p{ID_Continue}$]*$/u.test(name) ? `.${name}` : `[${JSON.stringify(name)}]`
}

/** The value itself, without parentheses, `as const`, `satisfies …` and the like. */
export function unwrapped(typescript: typeof ts, expression: ts.Expression): ts.Expression {
  if (
    typescript.isParenthesizedExpression(expression) ||
    typescript.isAsExpression(expression) ||
    typescript.isSatisfiesExpression(expression) ||
    typescript.isTypeAssertionExpression(expression) ||
    typescript.isNonNullExpression(expression)
  ) {
    return unwrapped(typescript, expression.expression)
  }
  return expression
}

export function hasModifier(typescript: typeof ts, node: ts.Node, kind: ts.SyntaxKind): boolean {
  const modifiers = typescript.canHaveModifiers(node) ? typescript.getModifiers(node) : undefined
  return modifiers?.some((modifier) => modifier.kind === kind) ?? false
}

/** The overloads directly before the implementation. */
export function overloadsBefore<Node extends ts.FunctionDeclaration | ts.MethodDeclaration>(
  node: Node,
  siblings: readonly ts.Node[],
): Node[] {
  const before = siblings[siblings.indexOf(node) - 1]
  if (!before || before.kind !== node.kind) return []
  // Nodes of one kind have one type.
  const sibling = before as Node
  if (sibling.body || sibling.name?.getText() !== node.name?.getText()) return []
  return [...overloadsBefore(sibling, siblings), sibling]
}
