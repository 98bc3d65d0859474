import { isRecord } from '@agentkit/wire'

/** The fields that are read of one piece of a call. */
export type CallPiece = { id?: unknown; name?: unknown; args?: unknown; partialArgs?: unknown; willContinue?: unknown }

type Place = { [step: string]: unknown } | unknown[]

/** A call whose arguments arrive in pieces, each with its path, as Vertex streams them. */
export class PartialCall {
  id: string | undefined
  name = ''
  signature: string | undefined
  #args: { [step: string]: unknown } = Object.create(null)
  /** Arguments that are no object: gateways send their JSON text, or what the model wrote in their place. */
  #other = ''
  /** The path of a text whose next piece is to come. */
  #continued: string | undefined

  add(piece: CallPiece): void {
    if (typeof piece.id === 'string') this.id = piece.id
    if (typeof piece.name === 'string' && piece.name !== '') this.name = piece.name
    if (isRecord(piece.args)) Object.assign(this.#args, piece.args)
    else if (piece.args != null) this.#other = typeof piece.args === 'string' ? piece.args : JSON.stringify(piece.args)
    if (Array.isArray(piece.partialArgs)) for (const part of piece.partialArgs) this.#addPart(part)
  }

  get argumentsText(): string {
    return this.#other || JSON.stringify(this.#args)
  }

  #addPart(part: unknown): void {
    if (typeof part !== 'object' || part === null) return
    const { jsonPath, stringValue, numberValue, boolValue, willContinue } = part as Record<string, unknown>
    const steps = typeof jsonPath === 'string' ? stepsOf(jsonPath) : []
    const last = steps.pop()
    if (typeof jsonPath !== 'string' || last === undefined) return
    const place = this.#placeOf(steps, last)
    const before = this.#continued === jsonPath ? read(place, last) : undefined
    if (typeof stringValue === 'string')
      write(place, last, typeof before === 'string' ? before + stringValue : stringValue)
    else if (numberValue !== undefined || boolValue !== undefined) write(place, last, numberValue ?? boolValue)
    else if ('nullValue' in part) write(place, last, null)
    this.#continued = willContinue === true ? jsonPath : undefined
  }

  /** Makes what is missing on the way: a list where the next step is a number. */
  #placeOf(steps: readonly (string | number)[], last: string | number): Place {
    let place: Place = this.#args
    for (const [index, step] of steps.entries()) {
      const known = read(place, step)
      const next = steps[index + 1] ?? last
      const inner: Place = isPlace(known) ? known : typeof next === 'number' ? [] : Object.create(null)
      if (inner !== known) write(place, step, inner)
      place = inner
    }
    return place
  }
}

/** `$.places[0]['first name']` → places, 0, first name. */
function stepsOf(path: string): (string | number)[] {
  return [...path.matchAll(/\.([^.[\]]+)|\[(\d+)\]|\['((?:[^'\\]|\\.)*)'\]|\["((?:[^"\\]|\\.)*)"\]/g)].map(
    ([, name, index, quoted = '', quotedTwice = '']) =>
      name ?? (index === undefined ? (quoted || quotedTwice).replace(/\\(.)/g, '$1') : Number(index)),
  )
}

function read(place: Place, step: string | number): unknown {
  // Only own keys: a key may be `__proto__`. The items of a list have names, too.
  return Object.hasOwn(place, step) ? (place as Record<string | number, unknown>)[step] : undefined
}

/** How far past its end a list may be written: a wrong index must not create an endless list. */
const longestGap = 1000

function write(place: Place, step: string | number, value: unknown): void {
  if (!Array.isArray(place)) {
    // An assignment to `__proto__` would set no key.
    Object.defineProperty(place, step, { value, configurable: true, enumerable: true, writable: true })
  } else if (typeof step === 'number' && step <= place.length + longestGap) place[step] = value
}

function isPlace(value: unknown): value is Place {
  return typeof value === 'object' && value !== null
}
