import type { ts } from 'ts-morph'

/** Whether the author excludes it with `@internal` or `@ignore`, on the function or its container. */
export function isTaggedInternal(typescript: typeof ts, node: ts.Node): boolean {
  if (typescript.isSourceFile(node)) return false
  const isTagged = typescript.getJSDocTags(node).some(({ tagName }) => ['internal', 'ignore'].includes(tagName.text))
  return isTagged || isTaggedInternal(typescript, node.parent)
}
