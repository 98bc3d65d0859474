import { AgentKitError, type Tool, type ToolFunction, toolOfFunction } from '@agentkit/core'
import type { CompiledFunction } from './compiled-function.ts'
import { compiledTool } from './compiled-tool.ts'

/**
 * Attaches a tool to a function, which can then be passed to an agent's `functions`; so can functions that `bind` returns.
 * The function itself does not change. Attaching again replaces the tool, but a tool of a manifest never
 * replaces a source that is compiled on use, because the manifest may be older.
 *
 * @param value the function; anything else is ignored, such as a class field without a value yet
 * @param source the compiled function, or a function that returns it: called when the tool is first used, and
 *   again if it threw
 * @returns the same value
 * @example
 * attachTool(add, {
 *   name: 'add',
 *   description: 'Adds two numbers.',
 *   inputSchema: { type: 'object', properties: { a: { type: 'number' }, b: { type: 'number' } }, required: ['a', 'b'] },
 *   parameters: [{ name: 'a' }, { name: 'b' }],
 * })
 */
export function attachTool<Value>(value: Value, source: CompiledFunction | (() => CompiledFunction)): Value {
  if (isFunction(value)) attach(value, source)
  return value
}

/** A function of any parameters; the compiled function describes the call. */
function isFunction(value: unknown): value is ToolFunction {
  return typeof value === 'function'
}

/** Shared by all copies of the package, as `toolOfFunction` is. */
const attached = Symbol.for('agentkit.attached')

/** A prototype of one function. Functions that `bind` returns have the same prototype, and so the same tool. */
type Carrier = { [attached]: { function: ToolFunction; isLive: boolean } }

function attach(plain: ToolFunction, source: CompiledFunction | (() => CompiledFunction)): void {
  const isLive = typeof source === 'function'
  const before = carrierOf(plain)
  if (before?.[attached].isLive && !isLive) return
  const carrier = before ?? Object.create(Object.getPrototypeOf(plain))
  const find = toolFinder(plain, carrier, source)
  Object.defineProperties(carrier, {
    [attached]: { value: { function: plain, isLive }, configurable: true },
    [toolOfFunction]: {
      get() {
        return find(this)
      },
      // Another tool can be set manually, as on a property without a getter.
      set(tool: Tool) {
        Object.defineProperty(this, toolOfFunction, {
          value: tool,
          writable: true,
          enumerable: true,
          configurable: true,
        })
      },
      configurable: true,
    },
  })
  // A frozen function keeps its prototype and so has no tool, which is an error when it is used as one.
  if (!before) Reflect.setPrototypeOf(plain, carrier)
}

/** The function's own prototype; a bound function has the prototype of its target. */
function carrierOf(plain: ToolFunction): Carrier | undefined {
  const prototype: Partial<Carrier> | null = Object.getPrototypeOf(plain)
  return prototype?.[attached]?.function === plain ? (prototype as Carrier) : undefined
}

/** Returns the tool of the function or of a bound function, created once for each. */
function toolFinder(
  plain: ToolFunction,
  carrier: Carrier,
  source: CompiledFunction | (() => CompiledFunction),
): (receiver: unknown) => Tool | undefined {
  const tools = new WeakMap<ToolFunction, Tool>()
  let compiled = typeof source === 'function' ? undefined : source
  return (receiver) => {
    // A class that extends the function, or an object made from it, has the function as prototype.
    if (!isFunction(receiver) || Object.getPrototypeOf(receiver) !== carrier) return undefined
    const found = tools.get(receiver)
    if (found) return found
    compiled ??= typeof source === 'function' ? source() : source
    checkReceiver(receiver, plain, compiled)
    const made = compiledTool(receiver, compiled)
    tools.set(receiver, made)
    return made
  }
}

function checkReceiver(receiver: ToolFunction, plain: ToolFunction, { name, methodOf }: CompiledFunction): void {
  if (receiver === plain) {
    if (methodOf === undefined) return
    const owner = methodOf.charAt(0).toLowerCase() + methodOf.slice(1)
    throw new AgentKitError(
      'invalid-argument',
      `"${name}" of ${methodOf} uses \`this\`, which would be undefined when a model calls it. ` +
        `Bind it to what it belongs to, as in ${owner}.${name}.bind(${owner}).`,
    )
  }
  // Bound functions can be recognized only by this. Other wrappers may have other parameters.
  if (receiver.name.startsWith('bound ') && receiver.length < plain.length) {
    throw new AgentKitError(
      'invalid-argument',
      `"${name}" is bound to some of its arguments already, so its schema is no longer true. ` +
        'Write a function of its own for that, or wrap it: tool({ name, description, input, execute }).',
    )
  }
}
