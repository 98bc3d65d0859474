import type { EventSource } from '../../answer/event-stream.ts'
import type { ProblemError } from '../../answer/problem.ts'

/**
 * Reads a run to its end, for an answer that is sent as a whole.
 * @param source whose encoder collects the answer
 * @param signal of the request: a client that leaves is not waited for
 * @throws ProblemError of a run that fails
 */
export async function readWhole(source: EventSource, signal: AbortSignal): Promise<void> {
  let problem: ProblemError | undefined
  const leave = (): void => source.leave()
  signal.addEventListener('abort', leave)
  if (signal.aborted) leave()
  try {
    await source.read((_text, { failure }) => {
      problem ??= failure
      return undefined
    })
  } finally {
    signal.removeEventListener('abort', leave)
  }
  if (problem) throw problem
}
