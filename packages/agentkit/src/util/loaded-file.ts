/** Commands and agents may be of two installed copies of this package, so the name is the same for all of them. */
const key = Symbol.for('agentkit.loaded-file')

/** The settings of a command for the file that it loads. */
export type LoadedFile = {
  /**
   * Collects the agents on which `run()` is called, which then does not listen. If it is absent, `run()` serves as in
   * programs.
   */
  served?: Set<object>
  /** Whether each user has files of their own, of the agents whose `run()` was called with this option. */
  perUserFiles?: Map<object, boolean>
  /** Called when `run()` has begun to listen. */
  onServing?(): void
  /** Agents without a model and a key have `offline/extractive`; `silent` if the command asks no model. */
  standIn?: boolean | 'silent'
}

type Loading = typeof globalThis & { [key]?: LoadedFile }

/** Marks this process as one in which a command loads its file. */
export function beginLoading(file: LoadedFile): void {
  const loading: Loading = globalThis
  loading[key] = file
}

/** The settings of this process's command; `undefined` in programs. */
export function loadedFile(): LoadedFile | undefined {
  const loading: Loading = globalThis
  return loading[key]
}
