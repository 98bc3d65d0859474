import { AgentKitError, type ModelRequest } from '@agentkit/core'
import { type CassetteOptions, canonicalRequest, looseKey } from './canonical-request.ts'
import { explainMiss, type IndexedCall } from './explain-miss.ts'
import type { Cassette } from './parse-cassette.ts'

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
   * The recorded call of a request. Equal requests get their answers in the recorded order.
   *
   * @throws AgentKitError `not-found` for a request that was not recorded, or is sent more often than it was recorded
   */
  take(model: string, asked: ModelRequest): IndexedCall {
    const request = canonicalRequest(asked, this.#options)
    const same = this.#byKey.get(keyOf(model, request)) ?? []
    const open = same.filter(({ isTaken }) => !isTaken)
    const exact = JSON.stringify(request)
    const call = open.find((one) => JSON.stringify(one.request) === exact) ?? open[0]
    if (!call) throw this.#missing(model, request, same.length)
    call.isTaken = true
    return call
  }

  #missing(model: string, request: ModelRequest, answered: number): AgentKitError {
    const own = this.#byModel.get(model)
    const again = `If that is right, record it again: record(model, ${JSON.stringify(this.#file)}), or agentkit record.`
    const [provider = '', ...name] = model.split('/')
    const fail = (what: string): AgentKitError =>
      new AgentKitError('not-found', `The cassette ${this.#file} ${what}\n${again}`, {
        provider,
        model: name.join('/'),
      })

    if (!own) return fail(`has no call of "${model}", but of ${[...this.#byModel.keys()].join(', ') || 'no model'}.`)
    if (answered > 0) {
      const times = answered === 1 ? 'once' : `${answered} times`
      return fail(`has this request to "${model}" ${times}, and it was made once more.`)
    }
    return fail(`has no answer of "${model}" to this request. ${explainMiss(request, own)}`)
  }
}

function keyOf(model: string, request: ModelRequest): string {
  return `${model}\n${looseKey(request)}`
}

function add(index: Map<string, IndexedCall[]>, key: string, call: IndexedCall): void {
  const calls = index.get(key)
  if (calls) calls.push(call)
  else index.set(key, [call])
}
