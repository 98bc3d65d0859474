import type { Tool } from '../contracts/tool.ts'
import type { DescribedTool } from '../loop/run/types.ts'
import { describeSchema } from '../schema/describe-schema.ts'
import { sha256 } from '../util/text/sha256.ts'

type Versioned = { version?: string | undefined; instruction?: string | undefined }

/** The version of an agent's member. */
type MemberVersion = { storedVersion(): Promise<string | undefined> }

/**
 * The version that is stored with the runs of an agent: its own, else a hash of its instruction, of the names and schemas
 * of its tools and what they add to the instruction, and of the versions of its members. The tools of its knowledge are no part of it.
 *
 * @returns the version, made at the first call; `undefined` when a schema cannot be described, which fails the run itself
 */
export function agentVersion(
  { version, instruction = '' }: Versioned,
  tools: ReadonlyMap<string, Tool>,
  members: readonly MemberVersion[] = [],
): () => Promise<string | undefined> {
  let made: Promise<string | undefined> | undefined
  const make = async (): Promise<string | undefined> => {
    if (version !== undefined) return version
    try {
      const described = (await describeTools(tools)).map(({ name, inputSchema, instruction: added }) =>
        added === undefined ? [name, inputSchema] : [name, inputSchema, added],
      )
      const inner = members.map((member) => member.storedVersion())
      const parts = [instruction, described, await Promise.all(inner)]
      return sha256(JSON.stringify(parts)).slice(0, hashLength)
    } catch {
      return undefined
    }
  }
  return () => (made ??= make())
}

/**
 * The tools as a model sees them, with what they add to the instruction.
 * @throws AgentKitError `invalid-argument` when a schema cannot be described
 */
export function describeTools(tools: ReadonlyMap<string, Tool>): Promise<DescribedTool[]> {
  const described = [...tools.values()].map(async ({ name, description, inputSchema: given, instruction }) => {
    const inputSchema = await describeSchema(given, { name: `Tool "${name}"`, option: 'input' })
    return { name, description, inputSchema, ...(instruction !== undefined && { instruction }) }
  })
  return Promise.all(described)
}

const hashLength = 16
