import { AgentKitError, type ModelRequest } from '@agentkit/core'
import { type CassetteOptions, canonicalRequest, looseKey } from './canonical-request.ts'
import { explainMiss, type IndexedCall } from './explain-miss.ts'
import type { Cassette } from './parse-cassette.ts'

/** The model that is asked, and for whom. */
export type Asked = { id: string; group?: string }

/** The calls of a cassette, each of which is replayed once. */
export class RecordedCalls {
  readonly #file: string
  readonly #options: CassetteOptions
  readonly #byModel = new Map<string, IndexedCall[]>()
  readonly #byKey = new Map<string, IndexedCall[]>()

  constructor(file: string, { calls }: Cassette, options: CassetteOptions) {
    this.#file = file
    this.#options = options
    for (const [index, recorded] of calls.entries()) {
      const request = canonicalRequest(recorded.request, options)
      const call: IndexedCall = { recorded, index, request, isTaken: false }
      add(this.#byModel, recorded.model, call)
      add(this.#byKey, keyOf(recorded.model, request), call)
    }
  }

  /**
   * The recorded call of a request. Equal requests get their answers in the recorded order. A group gets its own calls,
   * and calls without a group.
   *
   * @throws AgentKitError `not-found` for a request that was not recorded, or is sent more often than it was recorded
   */
  take(model: Asked, asked: ModelRequest): IndexedCall {
    const request = canonicalRequest(asked, this.#options)
    const equal = this.#byKey.get(keyOf(model.id, request)) ?? []
    const same = equal.filter((call) => isFor(model, call))
    const open = same.filter(({ isTaken }) => !isTaken)
    const exact = JSON.stringify(request)
    const call = open.find((one) => JSON.stringify(one.request) === exact) ?? open[0]
    if (!call) throw this.#missing(model, request, { same: same.length, equal: equal.length })
    call.isTaken = true
    return call
  }

  /** @param found how many equal requests were recorded, and how many of the group that asks */
  #missing(asked: Asked, request: ModelRequest, found: { same: number; equal: number }): AgentKitError {
    const model = asked.id
    const all = this.#byModel.get(model)
    const again = `If that is right, record it again: record(model, ${JSON.stringify(this.#file)}), or agentkit record.`
    const [provider = '', ...name] = model.split('/')
    const fail = (what: string): AgentKitError =>
      new AgentKitError('not-found', `The cassette ${this.#file} ${what}\n${again}`, {
        provider,
        model: name.join('/'),
      })

    if (!all) return fail(`has no call of "${model}", but of ${[...this.#byModel.keys()].join(', ') || 'no model'}.`)
    if (found.same > 0) {
      const times = found.same === 1 ? 'once' : `${found.same} times`
      return fail(`has this request to "${model}" ${times}, and it was made once more.`)
    }
    if (found.equal > 0) return fail(`has this request to "${model}" of another group only.`)
    const own = all.filter((call) => isFor(asked, call))
    return fail(`has no answer of "${model}" to this request. ${explainMiss(request, own.length > 0 ? own : all)}`)
  }
}

function isFor({ group }: Asked, { recorded }: IndexedCall): boolean {
  return group === undefined || recorded.group === undefined || recorded.group === group
}

function keyOf(model: string, request: ModelRequest): string {
  return `${model}\n${looseKey(request)}`
}

function add(index: Map<string, IndexedCall[]>, key: string, call: IndexedCall): void {
  const calls = index.get(key)
  if (calls) calls.push(call)
  else index.set(key, [call])
}
