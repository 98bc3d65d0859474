import type { ts } from 'ts-morph'
import type { CompilerScope } from '../scope/compiler-scope.ts'
import { isSchemaTag } from './schema-tags.ts'

/** A tag of a comment, with its text. */
export type CommentTag = { name: string; text: string; node: ts.JSDocTag }

/** A comment's text, and its tags in their order. */
export type Comment = { text: string; tags: CommentTag[] }

/** Tags for which TypeScript's parser has no node kind, and which are not part of a sentence. */
const furtherTags: ReadonlySet<string> = new Set(
  'async,beta,alpha,desc,description,example,hidden,ignore,internal,public,remarks,since,summary,todo,version'.split(
    ',',
  ),
)

/** Reads a comment. To TypeScript `@ada` in the middle of a sentence is a tag too; here it stays in the sentence. */
export function readComment(comment: ts.JSDoc | undefined, scope: CompilerScope): Comment {
  const read: Comment = { text: commentText(comment?.comment, scope), tags: [] }
  for (const node of comment?.tags ?? []) {
    const name = node.tagName.text
    const text = commentText(node.comment, scope)
    if (isOfSentence(node, scope)) {
      const before = read.tags.at(-1) ?? read
      before.text = `${before.text}${followsWord(node) ? '' : ' '}@${name}${/^\w/.test(text) ? ' ' : ''}${text}`
    } else read.tags.push({ name, text: beginsWithLink(node) ? `{${text}` : text, node })
  }
  return read
}

/** @param text a comment's, which may begin with a dash or a colon after the name that it belongs to */
export function commentText(text: ts.JSDocTag['comment'], { ts }: CompilerScope): string {
  return (ts.getTextOfJSDocComment(text) ?? '').replace(/^\s*[-–—:]\s+/, '')
}

function isOfSentence(node: ts.JSDocTag, { ts }: CompilerScope): boolean {
  const name = node.tagName.text
  const { text } = node.getSourceFile()
  if (followsWord(node)) return true
  if (node.kind !== ts.SyntaxKind.JSDocTag || furtherTags.has(name) || isSchemaTag(name)) return false
  const lineStart = text.lastIndexOf('\n', node.pos) + 1
  return !/^\s*(\/\*\*|\*)?\s*$/.test(text.slice(lineStart, node.pos))
}

/**
 * Whether a tag directly follows a word or a brace, as the second `@` of `@ada@example.org` or the `@` of `{@link …}`
 * does.
 */
function followsWord(node: ts.JSDocTag): boolean {
  return /[\w{]/.test(node.getSourceFile().text.charAt(node.pos - 1))
}

/** In `@returns {@link Price}`, the parser takes the brace for the beginning of a type, and the link for a tag. */
function beginsWithLink(node: ts.JSDocTag): boolean {
  return 'typeExpression' in node && (node.typeExpression as ts.Node | undefined)?.getText() === '{'
}
