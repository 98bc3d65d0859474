import type { Tool } from '@agentkit/core'
import type { HostTools } from '@agentkit/core/internal'

/** The tools of several sources, as one list, which is the same while theirs are: its schemas are compiled once. */
export function joinTools(sources: readonly (HostTools | undefined)[]): HostTools | undefined {
  const given = sources.filter((source) => source !== undefined)
  if (given.length < 2) return given[0]
  let last: { lists: readonly (readonly Tool[])[]; tools: readonly Tool[] } | undefined
  return async (run) => {
    const made = await Promise.all(given.map((source) => source(run)))
    const lists = made.map(({ tools }) => tools)
    if (!last?.lists.every((list, index) => list === lists[index])) last = { lists, tools: lists.flat() }
    return { tools: last.tools, warnings: made.flatMap(({ warnings }) => warnings) }
  }
}
