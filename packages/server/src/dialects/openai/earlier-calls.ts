import { isRecord } from '@agentkit/core/internal'
import { invalid, type Path } from '../../answer/field-problems.ts'
import { defaultLimits } from '../../limits.ts'
import type { FinishedCall } from '../../request/history.ts'
import { isDeeper } from '../../request/read-json.ts'

/** A call of an earlier message; it has an output once the result is read. */
export type EarlierCall = Omit<FinishedCall, 'output'> & { output?: unknown }

export type EarlierCalls = {
  /**
   * The calls of a message of the assistant. Entries that are no calls of tools are left out, because a model could not
   * use them.
   */
  read(sent: unknown): EarlierCall[]
  /**
   * Gives a call its result, from a message of the role `tool`.
   * @throws ProblemError where no call has the id
   */
  finish(sent: { id: unknown; at: Path; output: unknown }): void
}

/** The calls in the messages of one request. If several calls have one id, a result belongs to the newest of them. */
export function earlierCalls(): EarlierCalls {
  const bySentId = new Map<unknown, EarlierCall>()
  const taken = new Set<string>()
  let number = 1

  /** Clients may use an id again; in a conversation it names one call. */
  const newId = (sent: unknown): string => {
    let callId = typeof sent === 'string' && /^[^/]{1,64}$/s.test(sent) ? sent : `call_${number++}`
    while (taken.has(callId)) callId = `call_${number++}`
    taken.add(callId)
    return callId
  }
  return {
    read(sent) {
      return (Array.isArray(sent) ? sent : []).flatMap((each: unknown) => {
        const { id, function: called, output, error } = isRecord(each) ? each : {}
        const { name, arguments: text } = isRecord(called) ? called : {}
        if (typeof name !== 'string' || name === '') return []
        const failed = error !== undefined && error !== null
        const result = failed ? error : (output ?? undefined)
        const call: EarlierCall = {
          ...{ callId: newId(id), name, input: parsed(text), isError: failed },
          ...(result !== undefined && { output: result }),
        }
        bySentId.set(id, call)
        return [call]
      })
    },
    finish({ id, at, output }) {
      const call = bySentId.get(id)
      if (!call) throw invalid(at, 'must be the id of a call in an earlier message of the assistant')
      call.output = output
    },
  }
}

export function isFinished(call: EarlierCall): call is FinishedCall {
  return 'output' in call
}

function parsed(text: unknown): unknown {
  if (typeof text !== 'string' || isDeeper(text, defaultLimits.jsonDepth)) return {}
  try {
    return JSON.parse(text)
  } catch {
    return {}
  }
}
