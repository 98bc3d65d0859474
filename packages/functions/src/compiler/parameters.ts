import type { ts } from 'ts-morph'
import { type CompilerScope, failAt } from './compiler-scope.ts'
import type { DocComment } from './doc-comment.ts'

/** A parameter that gets its argument from the model. */
export type InputParameter = {
  readonly node: ts.ParameterDeclaration
  /** The property of the input; what messages say, where the whole input is meant. */
  readonly name: string
  /** By what name the docstring tells of it. */
  readonly commentName: string
  readonly kind: 'named' | 'rest' | 'whole'
  readonly isOptional: boolean
}

/**
 * A function's parameters: those that a model fills in, and the place of the one that is a `ToolContext`.
 * @throws AgentKitError `invalid-argument` when the context is not the last one
 */
export function readParameters(
  { parameters }: ts.FunctionLikeDeclaration,
  comment: DocComment,
  scope: CompilerScope,
): { inputs: InputParameter[]; context?: { index: number; name: string } } {
  const passed = parameters.filter(({ name }) => name.getText() !== 'this')
  const contextIndex = passed.findIndex((parameter) => isContext(parameter, scope))
  if (contextIndex !== -1 && contextIndex !== passed.length - 1) {
    failAt(
      scope,
      `parameter "${passed[contextIndex]?.name.getText()}" is a ToolContext, and has to be the last one. Move it.`,
    )
  }
  const inputs = passed.filter((_parameter, index) => index !== contextIndex)
  const names = new Set(inputs.map(({ name }) => name.getText()))
  const comments = comment.parameters.map(({ path }) => path).filter((path) => !path.includes('.'))
  const read = inputs.map((node, index) => readParameter(node, inputs.length === 1, comments[index], names, scope))
  const unnamed = read.find(({ name }, index) => read.findIndex((other) => other.name === name) !== index)
  if (unnamed) {
    scope.node = unnamed.node
    failAt(
      scope,
      `parameter "${unnamed.name}" has the name of another one, because both are taken apart at once. Name them by @param.`,
    )
  }
  return {
    inputs: read,
    ...(contextIndex !== -1 && { context: { index: contextIndex, name: passed[contextIndex]?.name.getText() ?? '' } }),
  }
}

function readParameter(
  node: ts.ParameterDeclaration,
  isOnly: boolean,
  commentName: string | undefined,
  names: ReadonlySet<string>,
  scope: CompilerScope,
): InputParameter {
  const { ts } = scope
  const isOptional = isLeftOut(node, scope)
  if (ts.isIdentifier(node.name)) {
    const name = node.name.text
    if (!node.dotDotDotToken) return { node, name, commentName: name, kind: 'named', isOptional }
    return { node, name, commentName: name, kind: 'rest', isOptional: !needsItems(node, scope) }
  }
  // What is taken apart at once has no name but the one that its comment gives it.
  const isFree = commentName !== undefined && !names.has(commentName) && !fieldNames(node.name, scope).has(commentName)
  const name = isFree ? commentName : names.has('options') ? 'input' : 'options'
  const kind = isOnly && ts.isObjectBindingPattern(node.name) && isRecordOfFields(node, scope) ? 'whole' : 'named'
  return { node, name, commentName: name, kind, isOptional }
}

/** Whether a caller may leave it out. */
function isLeftOut(node: ts.ParameterDeclaration, { ts, checker }: CompilerScope): boolean {
  const type = checker.getTypeAtLocation(node)
  const members = type.isUnion() ? type.types : [type]
  return (
    node.initializer !== undefined ||
    checker.isOptionalParameter(node) ||
    members.some(({ flags }) => flags & ts.TypeFlags.Undefined)
  )
}

/** Whether `...point: [number, number]` has items that a caller must give. */
function needsItems(node: ts.ParameterDeclaration, { checker }: CompilerScope): boolean {
  const type = checker.getTypeAtLocation(node)
  // A tuple's target has the count.
  return checker.isTupleType(type) && (type as ts.TupleTypeReference).target.minLength > 0
}

function fieldNames(pattern: ts.BindingPattern, { ts }: CompilerScope): Set<string> {
  const elements = ts.isObjectBindingPattern(pattern) ? pattern.elements : []
  return new Set(elements.map((element) => (element.propertyName ?? element.name).getText()))
}

/** Whether a type is an object of known fields, so that they may stand for the parameter. */
function isRecordOfFields(node: ts.ParameterDeclaration, { ts, checker }: CompilerScope): boolean {
  const type = checker.getNonNullableType(checker.getTypeAtLocation(node))
  const isObject = type.isIntersection() || Boolean(type.flags & ts.TypeFlags.Object)
  const isPlain = type.getCallSignatures().length === 0 && !checker.isArrayLikeType(type) && !type.isClass()
  return isObject && isPlain && checker.getIndexInfosOfType(type).length === 0
}

/**
 * A context is known by its name and what it offers, so that copies of the package agree.
 * @throws AgentKitError `invalid-argument` for a part of one, which would let the model say who asks
 */
function isContext(node: ts.ParameterDeclaration, scope: CompilerScope): boolean {
  const { checker } = scope
  const written = checker.getNonNullableType(checker.getTypeAtLocation(node))
  const type = checker.getBaseConstraintOfType(written) ?? written
  const isNamed = [type.aliasSymbol?.name, type.symbol?.name].includes('ToolContext')
  const isMade = node.type && scope.ts.isTypeReferenceNode(node.type) && /\bToolContext\b/.test(node.type.getText())
  if (!isNamed && !isMade) return false
  // Where the package's types are not found the name has to do.
  const isUnknown = (type as ts.Type & { intrinsicName?: string }).intrinsicName === 'error'
  if (isUnknown || ['signal', 'runId', 'callId', 'userId', 'cite'].every((name) => type.getProperty(name))) return true
  scope.node = node
  return failAt(
    scope,
    `parameter "${node.name.getText()}" is a part of ToolContext. Take the whole: ${node.name.getText()}: ToolContext.`,
  )
}
