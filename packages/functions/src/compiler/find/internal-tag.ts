import type { ts } from 'ts-morph'

/** Whether the author says that it is no tool: `@internal` or `@ignore`, of the function or of what it is in. */
export function isTaggedInternal(typescript: typeof ts, node: ts.Node): boolean {
  if (typescript.isSourceFile(node)) return false
  const isTagged = typescript.getJSDocTags(node).some(({ tagName }) => ['internal', 'ignore'].includes(tagName.text))
  return isTagged || isTaggedInternal(typescript, node.parent)
}
