import type { ts } from 'ts-morph'
import { accessTo, type FoundFunction, hasModifier } from './found-function.ts'
import type { Insertion } from './insert-attachments.ts'

/**
 * Where calls go that attach tools to a file's functions, in the order of the text. A function gets its tool as early
 * as it exists: one statement later it may be used.
 */
export function planAttachments(
  typescript: typeof ts,
  file: ts.SourceFile,
  found: readonly FoundFunction[],
): Insertion[] {
  const plan = [...found.flatMap(besideFunction), ...aroundDefaultExport()]
  // Sorting keeps the order of what is inserted at one place.
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
    if (node.name) return [{ at, before: ';', call: { index, reference: node.name.text }, after: ';' }]
    // Only a name makes an anonymous default export reachable before it runs. What it is called stays as it is.
    const name = unusedName('agentkitDefault')
    const renamed = `;globalThis.Object.defineProperty(${name},"name",{value:"default"});`
    return [
      { at, before: ';', call: { index, reference: name }, after: renamed },
      { at: (node.typeParameters ?? node.parameters).pos - 1, before: ` ${name}`, after: '' },
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
    if (isMethod) return { at: membersOf(element.parent).pos, before: 'static{', call, after: '}' }
    if (isStatic) return { at: element.end, before: ';static{', call, after: '}' }
    return { at: element.end, before: `;#agentkit${index}=`, call, after: ';' }
  }

  function membersOf(node: ts.Node): ts.NodeArray<ts.Node> {
    // What is in a class has the class as its parent.
    return (node as ts.ClassLikeDeclaration).members
  }

  function afterVariable(variable: ts.VariableDeclaration, call: Insertion['call'] & object): Insertion {
    const list = variable.parent
    const isLast = !typescript.isVariableDeclarationList(list) || list.declarations.at(-1) === variable
    // The next variable of the statement may use it. A pattern without names declares nothing.
    return isLast ? afterStatement(list.parent, call) : { at: variable.end, before: ',[]=[', call, after: ']' }
  }

  function afterStatement(statement: ts.Node, call: Insertion['call'] & object): Insertion {
    return { at: statement.end, before: ';', call, after: ';' }
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
      { at, before: '(value=>(', after: '' },
      ...calls.map((call) => ({ at, before: '', call, after: ',' })),
      // A property's name becomes that of its function, as `default` would.
      { at, before: `value))(${isFunction ? '{default:' : ''}`, after: '' },
      { at: expression.end, before: isFunction ? '}.default);' : ');', after: '' },
    ]
  }
}
