import type { JSONSchema } from '@agentkit/core'
import type { ts } from 'ts-morph'
import type { Annotations, CompilerScope, Place } from '../scope/compiler-scope.ts'
import { declarationsOf } from '../scope/declared-order.ts'
import { commentText, readComment } from './comment-tags.ts'
import { cleanText } from './doc-text.ts'
import { keywordsOf } from './schema-tags.ts'

export const noAnnotations: Annotations = { keywords: {} }

/**
 * The annotations of a field's comment; annotations of the field's path in the function's docstring take precedence.
 */
export function fieldComment(property: ts.Symbol, path: string, scope: CompilerScope): Annotations {
  const declaration = property.declarations?.[0]
  const own = declaration ? commentOf(declaration, path, scope) : noAnnotations
  return overruled(own, docstringOf(commentPath(path), scope))
}

/** The annotations of a parameter or a field in the function's docstring. */
export function docstringOf(path: string, { comments, commented }: CompilerScope): Annotations | undefined {
  commented.add(path)
  return comments.get(path)
}

/** Merges two annotations of the same place; the second takes precedence. */
export function overruled(annotations: Annotations, by: Annotations = noAnnotations): Annotations {
  return {
    description: by.description ?? annotations.description,
    keywords: { ...annotations.keywords, ...by.keywords },
  }
}

/** A field's path as docstrings have it: `items.name` for `items[].name`. */
function commentPath(path: string): string {
  return path.replaceAll(/\[\d*\]/g, '')
}

/** The annotations of a declaration's comment. */
export function commentOf(declaration: ts.Node, path: string, scope: CompilerScope): Annotations {
  const { ts } = scope
  // In JavaScript, a field is a tag in the comment of its type, and so is the type.
  if (ts.isJSDocPropertyTag(declaration)) return annotationsFrom(commentText(declaration.comment, scope), {})
  if (ts.isJSDocTypedefTag(declaration)) {
    const { text } = readComment(ts.findAncestor(declaration, ts.isJSDoc), scope)
    return annotationsFrom(commentText(declaration.comment, scope) || text, {})
  }
  const { text, tags } = readComment(commentBefore(declaration, scope), scope)
  return annotationsFrom(text, keywordsOf(tags, path, scope))
}

function annotationsFrom(text: string, keywords: JSONSchema): Annotations {
  return { description: cleanText(text) || undefined, keywords }
}

/** The JSDoc of a declaration. */
export function commentBefore(declaration: ts.Node, scope: CompilerScope): ts.JSDoc | undefined {
  const { ts } = scope
  return ts.getJSDocCommentsAndTags(declaration).filter(ts.isJSDoc).at(-1) ?? inlineComment(declaration, scope)
}

/** A comment on the line of its brace: TypeScript sees a comment before a field only where it begins a line. */
function inlineComment(declaration: ts.Node, { ts }: CompilerScope): ts.JSDoc | undefined {
  const { text } = declaration.getSourceFile()
  const start = declaration.getStart()
  const range = ts.getTrailingCommentRanges(text, declaration.pos)?.at(-1)
  if (!range || text.slice(range.end, start).includes('\n')) return undefined
  const commented = `${text.slice(range.pos, range.end)}\nlet field`
  const [statement] = ts.createSourceFile('comment.ts', commented, ts.ScriptTarget.Latest, true).statements
  return statement && ts.getJSDocCommentsAndTags(statement).filter(ts.isJSDoc).at(-1)
}

/** The annotations of a named type's declaration: `Port` of `port: Port`, `Port | null`. */
export function namedAnnotations(node: ts.TypeNode, place: Place, scope: CompilerScope): Annotations {
  const { ts } = scope
  if (ts.isParenthesizedTypeNode(node)) return namedAnnotations(node.type, place, scope)
  if (ts.isUnionTypeNode(node)) {
    const named = node.types.filter((member) => !isEmptyType(member, scope))
    const [only] = named
    return named.length === 1 && only ? namedAnnotations(only, place, scope) : noAnnotations
  }
  if (!ts.isTypeReferenceNode(node)) return noAnnotations
  const declaration = declarationsOf(node.typeName, scope).find(
    (found) =>
      ts.isTypeAliasDeclaration(found) ||
      ts.isInterfaceDeclaration(found) ||
      ts.isEnumDeclaration(found) ||
      ts.isJSDocTypedefTag(found),
  )
  if (!declaration || isHelper(declaration, scope)) return noAnnotations
  const own = commentOf(declaration, place.path, scope)
  if (!ts.isTypeAliasDeclaration(declaration)) return own
  return overruled(namedAnnotations(declaration.type, place, scope), own)
}

/** A package's type of other types, such as `SetRequired<Order, 'id'>`: its comment is about the types, not their values. */
function isHelper(declaration: ts.Declaration, { ts }: CompilerScope): boolean {
  const isGeneric = ts.isTypeAliasDeclaration(declaration) || ts.isInterfaceDeclaration(declaration)
  if (!isGeneric || !declaration.typeParameters) return false
  return declaration.getSourceFile().fileName.includes('/node_modules/')
}

function isEmptyType(node: ts.TypeNode, { ts }: CompilerScope): boolean {
  return (
    node.kind === ts.SyntaxKind.UndefinedKeyword ||
    (ts.isLiteralTypeNode(node) && node.literal.kind === ts.SyntaxKind.NullKeyword)
  )
}
