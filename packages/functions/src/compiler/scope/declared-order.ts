import type { ts } from 'ts-morph'
import type { CompilerScope } from './compiler-scope.ts'
import { unbranded } from './unbranded.ts'

/**
 * The members of a union in the order in which the source names them. The checker's own order depends on what it has
 * checked before, so that it differs between programs.
 */
export function inDeclaredOrder(
  union: ts.UnionType,
  typeNode: ts.TypeNode | undefined,
  scope: CompilerScope,
): ts.Type[] {
  const order = new Map<string, number>()
  const seen = new Set<ts.Node>()
  const alias = union.aliasSymbol?.declarations?.[0]
  // An outer type may say it too: `Box<Size>` names the `T` inside it.
  for (const node of [typeNode, alias, ...scope.typeNodes.toReversed()]) {
    if (node) collectNames(node, order, seen, scope)
  }
  const ranked = union.types.map((type) => {
    const key = nameOf(type, scope)
    return { type, key, rank: order.get(key) ?? Number.POSITIVE_INFINITY }
  })
  return ranked.toSorted(byRank).map(({ type }) => type)
}

type Ranked = { rank: number; key: string }
function byRank(left: Ranked, right: Ranked): number {
  if (left.rank !== right.rank) return left.rank - right.rank
  return left.key < right.key ? -1 : left.key > right.key ? 1 : 0
}

/** Literals by their value, members of enums and other types by where they are declared, the rest as it is written. */
function nameOf(type: ts.Type, scope: CompilerScope): string {
  const { ts, checker, isLibrary } = scope
  const [declaration] = type.symbol?.declarations ?? []
  if (declaration && !checker.isArrayType(type)) {
    return isLibrary(declaration.getSourceFile()) ? type.symbol.name : declarationKey(declaration)
  }
  const literal = unbranded(type, scope)
  if (literal.isStringLiteral()) return `string ${literal.value}`
  if (literal.isNumberLiteral()) return `number ${literal.value}`
  return literal.flags & ts.TypeFlags.BooleanLiteral ? 'boolean' : checker.typeToString(type)
}

function declarationKey(declaration: ts.Node): string {
  return `${declaration.getSourceFile().fileName} ${String(declaration.pos).padStart(8, '0')}`
}

/** The literals, property names and declarations that a type's text leads to, in the order of reading. */
function collectNames(node: ts.Node, order: Map<string, number>, seen: Set<ts.Node>, scope: CompilerScope): void {
  if (seen.has(node) || order.size > 1000) return
  seen.add(node)
  const { ts } = scope
  const add = (name: string): void => {
    if (!order.has(name)) order.set(name, order.size)
  }
  add(declarationKey(node))
  if (ts.isStringLiteralLike(node)) add(`string ${node.text}`)
  else if (ts.isNumericLiteral(node)) add(`number ${Number(node.text)}`)
  else if (ts.isPrefixUnaryExpression(node)) {
    // The number in it is another one.
    add(`number ${Number(node.getText())}`)
    return
  } else if (node.kind === ts.SyntaxKind.TrueKeyword || node.kind === ts.SyntaxKind.FalseKeyword) add('boolean')
  else if (ts.isIdentifier(node) || ts.isUnionTypeNode(node.parent) || ts.isTypeAliasDeclaration(node.parent)) {
    add(node.getText())
  }
  if ((ts.isPropertySignature(node) || ts.isPropertyAssignment(node)) && ts.isIdentifier(node.name)) {
    add(`string ${node.name.text}`)
  }
  if (ts.isIdentifier(node)) {
    const declarations = declarationsOf(node, scope).filter((declaration) => namesMore(declaration, node, scope))
    for (const declaration of declarations) collectNames(declaration, order, seen, scope)
  }
  ts.forEachChild(node, (child) => collectNames(child, order, seen, scope))
}

/** Modules and classes name all sorts of things, and so do a package's own types, but for lists of words. */
function namesMore(declaration: ts.Node, from: ts.Node, { ts }: CompilerScope): boolean {
  if (ts.isSourceFile(declaration) || ts.isModuleDeclaration(declaration) || ts.isClassLike(declaration)) return false
  const { fileName } = declaration.getSourceFile()
  if (!fileName.includes('/node_modules/') || fileName === from.getSourceFile().fileName) return true
  return (
    ts.isEnumDeclaration(declaration) ||
    (ts.isTypeAliasDeclaration(declaration) && ts.isUnionTypeNode(declaration.type))
  )
}

/** The declaration of a name, through imports. */
export function declarationsOf(name: ts.Node, { ts, checker, isLibrary }: CompilerScope): readonly ts.Declaration[] {
  const symbol = checker.getSymbolAtLocation(name)
  const target = symbol && symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol
  return (target?.declarations ?? []).filter((declaration) => !isLibrary(declaration.getSourceFile()))
}
