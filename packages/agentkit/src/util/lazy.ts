/** A value that is made when it is first needed. */
export interface Lazy<Value> {
  /** Makes the value once. After a failure the next call tries again. */
  load(): Promise<Value>
  /** The value, once it is made. */
  readonly value: Value | undefined
  /** The current attempt, or the attempt that succeeded. */
  readonly loading: Promise<Value> | undefined
}

export function lazy<Value>(make: () => Promise<Value>): Lazy<Value> {
  let value: Value | undefined
  let loading: Promise<Value> | undefined
  return {
    load() {
      loading ??= make().then(
        (made) => {
          value = made
          return made
        },
        (error: unknown) => {
          loading = undefined
          throw error
        },
      )
      return loading
    },
    get value() {
      return value
    },
    get loading() {
      return loading
    },
  }
}
