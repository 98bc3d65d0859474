import { limits } from '../limits.ts'
import type { ToolLike } from '../tools/define-tool.ts'
import { sourceOf } from '../tools/functions-of.ts'

type ClosableList = readonly ToolLike[] & { close(): Promise<void> }

/** The agents that use a list of tools with a connection. */
const users = new WeakMap<object, Set<object>>()
const listsOf = new WeakMap<object, ClosableList[]>()

/** Records that an agent uses lists with a `close()`, such as those of MCP servers, which its `close()` then closes. */
export function useLists(agent: object, functions: unknown): void {
  const lists = [...new Set(closableLists(functions))]
  if (lists.length === 0) return
  listsOf.set(agent, lists)
  for (const list of lists) {
    const agents = users.get(list) ?? new Set()
    users.set(list, agents.add(agent))
  }
}

/** Closes the lists of an agent that no other agent uses. */
export async function releaseLists(agent: object): Promise<void> {
  const lists = listsOf.get(agent) ?? []
  listsOf.delete(agent)
  const unused = lists.filter((list) => {
    const agents = users.get(list)
    agents?.delete(agent)
    return agents?.size === 0
  })
  await Promise.all(unused.map((list) => list.close()))
}

/** Invalid functions are reported where they are made tools. */
function* closableLists(functions: unknown, depth = 0): Generator<ClosableList> {
  if (!Array.isArray(functions) || depth > limits.toolListDepth) return
  if ('close' in functions && typeof functions.close === 'function') yield functions as unknown as ClosableList // checked here
  yield* closableLists(sourceOf(functions), depth + 1)
  for (const item of functions) yield* closableLists(item, depth + 1)
}
