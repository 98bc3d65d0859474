import type { TurnResult } from './conversation.ts'
import { describeLookup } from './describe-lookup.ts'
import { describeResult } from './describe-result.ts'
import type { FileTools } from './file-tools.ts'

/** A turn's results in words, each by itself; those of the files' tools together, as one answer. */
export function describeResults(
  results: readonly TurnResult[],
  question: string,
  files: FileTools | undefined,
): string[] {
  const names = new Set([files?.search.name, files?.read?.name, files?.list?.name])
  const lookups = results.filter(({ call }) => names.has(call.name))
  const others = results.filter(({ call }) => !names.has(call.name)).map((result) => describeResult(result, question))
  return lookups.length > 0 ? [...others, describeLookup(lookups, question)] : others
}
