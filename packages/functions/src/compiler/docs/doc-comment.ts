import type { JSONSchema } from '@agentkit/core'
import type { ts } from 'ts-morph'
import type { CompilerScope } from '../scope/compiler-scope.ts'
import { declarationsOf } from '../scope/declared-order.ts'
import { commentBefore } from './annotations.ts'
import { type CommentTag, commentText, readComment } from './comment-tags.ts'
import { readFields } from './doc-fields.ts'
import { cleanText } from './doc-text.ts'
import { isSchemaTag, keywordsOf } from './schema-tags.ts'

/** A function's docstring. */
export type DocComment = {
  description: string
  returns: string
  parameters: ParameterComment[]
}

/** The annotations of one parameter or field, by its path: `options.confirmations`. */
export type ParameterComment = { path: string; text: string; keywords: JSONSchema }

const returnTags = new Set(['return', 'returns'])
const descriptionTags = new Set(['description', 'desc', 'summary'])

/** Reads the JSDoc of a function, and the fields (`:param name:`) in its text. */
export function readDocComment(documented: ts.Node, scope: CompilerScope): DocComment {
  const { ts } = scope
  const { text, tags } = readComment(commentBefore(documented, scope), scope)
  const fields = readFields(text)
  const textOfTags = (names: ReadonlySet<string>): string => {
    const named = tags.filter(({ name }) => names.has(name))
    return named.map(({ text }) => cleanText(text)).join('\n\n')
  }
  return {
    description: cleanText(fields.text) || textOfTags(descriptionTags),
    returns: textOfTags(returnTags) || cleanText(fields.returns),
    parameters: [
      ...callbackParameters(tags, scope),
      ...fields.parameters.map(({ path, text }) => ({ path, text: cleanText(text), keywords: {} })),
      ...tags.flatMap(({ node, text }, index) =>
        ts.isJSDocParameterTag(node) ? parameterComments(node, text, schemaTagsAt(tags.slice(index + 1)), scope) : [],
      ),
    ],
  }
}

/** The parameters of a `@callback` that a JavaScript function has as its `@type`. */
function callbackParameters(tags: readonly CommentTag[], scope: CompilerScope): ParameterComment[] {
  const { ts } = scope
  const type = tags.map(({ node }) => node).find(ts.isJSDocTypeTag)?.typeExpression.type
  const declarations = type && ts.isTypeReferenceNode(type) ? declarationsOf(type.typeName, scope) : []
  const parameters = declarations.find(ts.isJSDocCallbackTag)?.typeExpression.parameters ?? []
  return parameters.flatMap((node) => parameterComments(node, commentText(node.comment, scope), [], scope))
}

/** The tags of a schema at the beginning of a list: those that follow a `@param` belong to it. */
function schemaTagsAt(tags: readonly CommentTag[]): readonly CommentTag[] {
  const end = tags.findIndex(({ name }) => !isSchemaTag(name))
  return end === -1 ? tags : tags.slice(0, end)
}

/** A `@param`, with the fields that the parser found inside it. */
function parameterComments(
  node: ts.JSDocPropertyLikeTag,
  text: string,
  following: readonly CommentTag[],
  scope: CompilerScope,
): ParameterComment[] {
  const { ts } = scope
  const path = node.name.getText()
  const type = node.typeExpression && 'type' in node.typeExpression ? node.typeExpression.type : node.typeExpression
  const inner = type && ts.isJSDocTypeLiteral(type) ? (type.jsDocPropertyTags ?? []) : []
  const keywords = keywordsOf(inner.length === 0 ? following : [], path, scope)
  if (type?.getText() === 'integer') keywords.type = 'integer'
  const last = inner.at(-1)
  return [
    { path, text: cleanText(text), keywords },
    // Tags belong to the field that they follow.
    ...inner.flatMap((field) =>
      parameterComments(field, commentText(field.comment, scope), field === last ? following : [], scope),
    ),
  ]
}
