/**
 * An insertion into a file's text: plain data of offsets, indexes and names, so that a cache of insertions contains
 * no code. Offsets count UTF-16 units.
 */
export type Insertion = { at: number } & (
  | { form: TextForm }
  /** The name that an anonymous default export gets. */
  | { form: 'name'; name: string }
  /** A call for the found function of this index, which is `reference` at this place. */
  | { form: CallForm; call: AttachCall }
)
export type AttachCall = { index: number; reference: string }

type TextForm = keyof typeof texts
type CallForm = 'statement' | 'namedDefault' | 'method' | 'staticField' | 'field' | 'variable' | 'inDefault'

/** Insertions other than calls: around `export default …`, which has no name that a call could refer to. */
const texts = {
  defaultOpens: '(value=>(',
  defaultValue: 'value))(',
  // The function takes the name of its property, as it would take the name `default`.
  defaultFunction: 'value))({default:',
  defaultValueEnds: ');',
  defaultFunctionEnds: '}.default);',
} as const

/** The text before and after a call. */
const aroundCalls: Record<CallForm, (call: AttachCall) => [before: string, after: string]> = {
  statement: () => [';', ';'],
  // Only a name makes an anonymous default export reachable before it runs. Its `name` property does not change.
  namedDefault: ({ reference }) => [';', `;globalThis.Object.defineProperty(${reference},"name",{value:"default"});`],
  method: () => ['static{', '}'],
  staticField: () => [';static{', '}'],
  field: ({ index }) => [`;#agentkit${index}=`, ';'],
  variable: () => [',[]=[', ']'],
  inDefault: () => ['', ','],
}

/** An insertion as the text around its call. */
export function insertedText(insertion: Insertion): { before: string; call?: AttachCall; after: string } {
  if (insertion.form === 'name') return { before: ` ${insertion.name}`, after: '' }
  if (!('call' in insertion)) return { before: texts[insertion.form], after: '' }
  const [before, after] = aroundCalls[insertion.form](insertion.call)
  return { before, call: insertion.call, after }
}

/**
 * Inserts the calls. No line is added.
 * @param call an expression that attaches the tool of this index to the function that `reference` is
 */
export function insertAttachments(
  text: string,
  plan: readonly Insertion[],
  call: (index: number, reference: string) => string,
): string {
  let result = ''
  let end = 0
  for (const insertion of plan) {
    const { before, call: planned, after } = insertedText(insertion)
    const inserted = planned ? call(planned.index, planned.reference) : ''
    result += text.slice(end, insertion.at) + before + inserted + after
    end = insertion.at
  }
  return result + text.slice(end)
}

/** Whether data is a plan for a text: in order, within it, of known forms, and with nothing but names in it. */
export function isPlan(data: unknown, text: string): data is Insertion[] {
  let last = 0
  const isNext = (insertion: unknown): boolean => {
    if (!isRecord(insertion)) return false
    const { at, form, name, call, ...others } = insertion
    if (!isCount(at) || at < last || at > text.length || typeof form !== 'string') return false
    if (Object.keys(others).length > 0) return false
    last = at
    if (form === 'name') return isReference(name) && call === undefined
    if (name !== undefined) return false
    if (Object.hasOwn(texts, form)) return call === undefined
    return Object.hasOwn(aroundCalls, form) && isCall(call)
  }
  return Array.isArray(data) && data.every(isNext)
}

function isCall(call: unknown): boolean {
  return isRecord(call) && isCount(call.index) && isReference(call.reference)
}

/** `f`, `tools.add`, `this.prototype["add-all"]`: it reads a value and runs no code. */
const reference =
  /^[\p{ID_Start}$_][\p{ID_Continue}$]*(?:\.[\p{ID_Start}$_][\p{ID_Continue}$]*|\["(?:[^"\\\p{Cc}\u2028\u2029]|\\["\\/bfnrt]|\\u[\da-f]{4})*"\])*$/iu

function isReference(value: unknown): value is string {
  return typeof value === 'string' && value.length <= 1_000 && reference.test(value)
}

function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
