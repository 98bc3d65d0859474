/** Commands and agents may be of two installed copies of this package, so the name is the same for all of them. */
const key = Symbol.for('agentkit.loaded-file')

/** What a command expects of the file that it loads. */
export type LoadedFile = {
  /** The agents on which `run()` is called; it listens on nothing. Absent where `run()` serves as it does in programs. */
  served?: Set<object>
  /** Called when `run()` has begun to listen. */
  onServing?(): void
  /** Agents without a model and a key have `offline/extractive`; `silent` where the command asks no model. */
  standIn?: boolean | 'silent'
}

type Loading = typeof globalThis & { [key]?: LoadedFile }

/** From now on the agents of this process are those of a command's file. */
export function beginLoading(file: LoadedFile): void {
  const loading: Loading = globalThis
  loading[key] = file
}

/** What the command of this process expects; `undefined` in programs. */
export function loadedFile(): LoadedFile | undefined {
  const loading: Loading = globalThis
  return loading[key]
}
