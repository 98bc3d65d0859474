import type { ts } from 'ts-morph'
import { accessTo, type FoundFunction, hasModifier } from './find/found-function.ts'
import type { AttachCall, Insertion } from './insert-attachments.ts'

/**
 * Plans the calls that attach tools to a file's functions, in the order of the text. A function gets its tool as early
 * as possible, because the next statement may use it.
 */
export function planAttachments(
  typescript: typeof ts,
  file: ts.SourceFile,
  found: readonly FoundFunction[],
): Insertion[] {
  const plan = [...found.flatMap(besideFunction), ...aroundDefaultExport()]
  // The sort is stable: it keeps the order of insertions at the same offset.
  return plan.sort((left, right) => left.at - right.at)

  function besideFunction({ node, name, reference }: FoundFunction, index: number): Insertion[] {
    if (typescript.isFunctionDeclaration(node)) return atTop(node, index)
    const element = typescript.findAncestor(node, isInClass)
    if (element) return [inClass(element, index, accessTo(name))]
    const variable = typescript.findAncestor(node, typescript.isVariableDeclaration)
    if (variable) return [afterVariable(variable, { index, reference })]
    const assignment = typescript.findAncestor(node, typescript.isExpressionStatement)
    return assignment ? [afterStatement(assignment, { index, reference })] : []
  }

  /** Declared functions exist before the first statement runs. */
  function atTop(node: ts.FunctionDeclaration, index: number): Insertion[] {
    const first = file.statements.find((statement) => !isDirective(statement))
    const at = (first ?? node).getStart(file)
    if (node.name) return [{ at, form: 'statement', call: { index, reference: node.name.text } }]
    const name = unusedName('agentkitDefault')
    return [
      { at, form: 'namedDefault', call: { index, reference: name } },
      { at: (node.typeParameters ?? node.parameters).pos - 1, form: 'name', name },
    ]
  }

  function isDirective(statement: ts.Statement): boolean {
    return typescript.isExpressionStatement(statement) && typescript.isStringLiteral(statement.expression)
  }

  function unusedName(name: string): string {
    return file.text.includes(name) ? unusedName(`${name}_`) : name
  }

  function isInClass(node: ts.Node): node is ts.ClassElement {
    return typescript.isClassElement(node) && typescript.isClassLike(node.parent)
  }

  function inClass(element: ts.ClassElement, index: number, access: string): Insertion {
    const isStatic = hasModifier(typescript, element, typescript.SyntaxKind.StaticKeyword)
    const isMethod = typescript.isMethodDeclaration(element)
    const reference = isMethod && !isStatic ? `this.prototype${access}` : `this${access}`
    const call = { index, reference }
    // Methods exist before the first static field has its value, which may use them.
    if (isMethod) return { at: membersOf(element.parent).pos, form: 'method', call }
    return { at: element.end, form: isStatic ? 'staticField' : 'field', call }
  }

  function membersOf(node: ts.Node): ts.NodeArray<ts.Node> {
    // Members of a class have the class as their parent.
    return (node as ts.ClassLikeDeclaration).members
  }

  function afterVariable(variable: ts.VariableDeclaration, call: AttachCall): Insertion {
    const list = variable.parent
    const isLast = !typescript.isVariableDeclarationList(list) || list.declarations.at(-1) === variable
    // The next variable of the statement may use it. A pattern without names declares nothing.
    return isLast ? afterStatement(list.parent, call) : { at: variable.end, form: 'variable', call }
  }

  function afterStatement(statement: ts.Node, call: AttachCall): Insertion {
    return { at: statement.end, form: 'statement', call }
  }

  /** `export default (value) => …`, which has no name, and `export default { … }`. */
  function aroundDefaultExport(): Insertion[] {
    const exported = file.statements.find((statement) => typescript.isExportAssignment(statement))
    if (!exported) return []
    const { expression } = exported
    const calls = found.flatMap(({ node, reference }, index) => {
      const isInside = node.pos >= expression.pos && node.end <= expression.end
      const isElsewhere = typescript.findAncestor(node, isInClass) !== undefined
      return isInside && !isElsewhere ? [{ index, reference: reference.replace('default', 'value') }] : []
    })
    if (calls.length === 0) return []
    const at = expression.getStart(file)
    const isFunction = calls.some(({ reference }) => reference === 'value')
    return [
      { at, form: 'defaultOpens' },
      ...calls.map((call): Insertion => ({ at, form: 'inDefault', call })),
      { at, form: isFunction ? 'defaultFunction' : 'defaultValue' },
      { at: expression.end, form: isFunction ? 'defaultFunctionEnds' : 'defaultValueEnds' },
    ]
  }
}
