import type { ts } from 'ts-morph'
import type { DocComment } from './docs/doc-comment.ts'
import { unwrapped } from './find/found-function.ts'
import { type CompilerScope, failAt } from './scope/compiler-scope.ts'
import { isInstance } from './scope/library-type.ts'

/** A parameter that gets its argument from the model. */
export type InputParameter = {
  readonly node: ts.ParameterDeclaration
  /**
   * The property of the input, which is also the name in the docstring. For a parameter that is the whole input, only
   * the latter.
   */
  readonly name: string
  readonly kind: 'named' | 'rest' | 'whole'
  readonly isOptional: boolean
}

/**
 * A function's parameters that a model fills in, and the position of the `ToolContext`.
 * @throws AgentKitError `invalid-argument` if the context is not the last parameter, and for two parameters without names
 */
export function readParameters(
  { parameters }: ts.FunctionLikeDeclaration,
  comment: DocComment,
  scope: CompilerScope,
): { inputs: InputParameter[]; context?: { index: number; name: string } } {
  const passed = parameters.filter(({ name }) => name.getText() !== 'this')
  const contextIndex = passed.findIndex((parameter) => isContext(parameter, scope))
  const isOnly = passed.length === (contextIndex === -1 ? 1 : 2)
  const names = namesForPatterns(comment, passed, scope)
  const unnamedName = passed.some(({ name }) => name.getText() === 'options') ? 'input' : 'options'
  const read = passed.map((node) => readParameter(node, names.get(node) ?? unnamedName, isOnly, scope))
  const inputs = read.filter((_parameter, index) => index !== contextIndex)
  const second = inputs.find(({ name }, index) => inputs.findIndex((other) => other.name === name) !== index)
  if (second) {
    scope.node = second.node
    failAt(
      scope,
      `parameter "${second.name}" has the name of another one, because both are taken apart at once. Name them by @param.`,
    )
  }
  const context = read[contextIndex]
  if (!context) return { inputs }
  if (context !== read.at(-1)) {
    failAt(scope, `parameter "${context.name}" is a ToolContext, and has to be the last one. Move it.`)
  }
  return { inputs, context: { index: contextIndex, name: context.name } }
}

/** A destructured parameter has no name except in comments: the names there that match no other parameter, in order. */
function namesForPatterns(
  { parameters: comments }: DocComment,
  parameters: readonly ts.ParameterDeclaration[],
  scope: CompilerScope,
): Map<ts.ParameterDeclaration | undefined, string> {
  const patterns = parameters.filter(({ name }) => !scope.ts.isIdentifier(name))
  const taken = new Set(parameters.flatMap(({ name }) => [name.getText(), ...fieldNames(name, scope)]))
  const roots = new Set(comments.map(({ path }) => path.split(/[.[]/)[0] ?? ''))
  const free = [...roots].filter((root) => !taken.has(root))
  return new Map(free.map((name, index) => [patterns[index], name]))
}

function readParameter(
  node: ts.ParameterDeclaration,
  nameOfPattern: string,
  isOnly: boolean,
  scope: CompilerScope,
): InputParameter {
  const { ts } = scope
  const name = ts.isIdentifier(node.name) ? node.name.text : nameOfPattern
  if (node.dotDotDotToken) return { node, name, kind: 'rest', isOptional: !needsItems(node, scope) }
  const isOptional = isLeftOut(node, scope)
  if (ts.isIdentifier(node.name)) return { node, name, kind: 'named', isOptional }
  const isWhole = isOnly && isRecordOfFields(node, scope) && !hasFilledDefault(node, scope)
  return { node, name, kind: isWhole ? 'whole' : 'named', isOptional }
}

/** Whether a caller may leave it out. */
function isLeftOut(node: ts.ParameterDeclaration, scope: CompilerScope): boolean {
  const { ts, checker } = scope
  const type = boundedType(checker.getTypeAtLocation(node), scope)
  const members = type.isUnion() ? type.types : [type]
  return (
    node.initializer !== undefined ||
    checker.isOptionalParameter(node) ||
    members.some(({ flags }) => flags & ts.TypeFlags.Undefined)
  )
}

/** Whether `...point: [number, number]` has items that a caller must give. */
function needsItems(node: ts.ParameterDeclaration, scope: CompilerScope): boolean {
  const { checker } = scope
  const type = boundedType(checker.getTypeAtLocation(node), scope)
  // A tuple's target has the count.
  return checker.isTupleType(type) && (type as ts.TupleTypeReference).target.minLength > 0
}

/** A type parameter as its bound: `{ city: string }` for `Place` of `<Place extends { city: string }>`. */
export function boundedType(type: ts.Type, { checker }: CompilerScope): ts.Type {
  return checker.getBaseConstraintOfType(type) ?? type
}

function fieldNames(pattern: ts.BindingName, scope: CompilerScope): (string | undefined)[] {
  const elements = scope.ts.isObjectBindingPattern(pattern) ? pattern.elements : []
  return elements.map((element) => fieldOf(element, scope))
}

/** The field that a part of a pattern takes: `b-c` of `{ 'b-c': c }`; undefined where its name is computed. */
export function fieldOf({ propertyName, name }: ts.BindingElement, { ts }: CompilerScope): string | undefined {
  const written = propertyName ?? name
  const isNamed = ts.isIdentifier(written) || ts.isStringLiteral(written) || ts.isNumericLiteral(written)
  return isNamed ? written.text : undefined
}

/** Whether a type is an object of known fields, which may replace the parameter. */
function isRecordOfFields(node: ts.ParameterDeclaration, scope: CompilerScope): boolean {
  const { ts, checker } = scope
  const type = checker.getNonNullableType(boundedType(checker.getTypeAtLocation(node), scope))
  const isObject = type.isIntersection() || Boolean(type.flags & ts.TypeFlags.Object)
  const isOpen = checker.getIndexInfosOfType(type).length > 0 || checker.getPropertiesOfType(type).length === 0
  return isObject && !isOpen && type.getCallSignatures().length === 0 && !isInstance(type, scope)
}

/** Whether it has a default with fields, which would be lost if the input's fields replaced it. */
function hasFilledDefault({ initializer }: ts.ParameterDeclaration, { ts }: CompilerScope): boolean {
  const value = initializer && unwrapped(ts, initializer)
  return value !== undefined && !(ts.isObjectLiteralExpression(value) && value.properties.length === 0)
}

/**
 * A context is recognized by its name and its properties, so that several copies of the package agree.
 * @throws AgentKitError `invalid-argument` for a part of one, which would let the model choose the user
 */
function isContext(node: ts.ParameterDeclaration, scope: CompilerScope): boolean {
  const { checker } = scope
  const type = boundedType(checker.getNonNullableType(checker.getTypeAtLocation(node)), scope)
  const isNamed = [type.aliasSymbol?.name, type.symbol?.name].includes('ToolContext')
  const isMade = node.type && scope.ts.isTypeReferenceNode(node.type) && /\bToolContext\b/.test(node.type.getText())
  if (!isNamed && !isMade) return false
  // If the types of the package are not found, the name of the type decides.
  const isUnknown = (type as ts.Type & { intrinsicName?: string }).intrinsicName === 'error'
  if (isUnknown || ['signal', 'runId', 'callId', 'userId', 'cite'].every((name) => type.getProperty(name))) return true
  scope.node = node
  return failAt(
    scope,
    `parameter "${node.name.getText()}" is a part of ToolContext. Take the whole: ${node.name.getText()}: ToolContext.`,
  )
}
