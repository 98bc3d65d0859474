import type { Model, ModelEvent, ModelInfo, ModelRequest } from '@agentkit/core'

/** A model whose provider package is imported by `load()`, at the latest when it is first asked something. */
export interface LazyModel extends Model {
  /** @throws AgentKitError `missing-package` when the provider's package is not installed */
  load(): Promise<void>
}

/**
 * A model that is there at once and loads itself when it is first needed. Once loaded it hands out the loaded model's
 * own streams. A load that fails is tried again by the next call.
 */
export function lazyModel(id: string, load: () => Promise<Model>): LazyModel {
  let loaded: Model | undefined
  let loading: Promise<Model> | undefined
  const ready = (): Promise<Model> => {
    loading ??= load().then(
      (model) => {
        if (model.info) lazy.info = model.info
        loaded = model
        return model
      },
      (error: unknown) => {
        loading = undefined
        throw error
      },
    )
    return loading
  }
  const lazy: LazyModel & { info?: ModelInfo } = {
    id,
    load: async () => void (await ready()),
    stream: (request, signal) => loaded?.stream(request, signal) ?? streamWhenReady(ready, request, signal),
  }
  return lazy
}

/** The first call's stream: its first `next()` loads the model, whose own iterator answers from then on. */
function streamWhenReady(
  ready: () => Promise<Model>,
  request: ModelRequest,
  signal: AbortSignal,
): AsyncIterable<ModelEvent> {
  return {
    [Symbol.asyncIterator]() {
      let inner: AsyncIterator<ModelEvent> | undefined
      let opening: Promise<AsyncIterator<ModelEvent>> | undefined
      let left = false
      const open = async (): Promise<IteratorResult<ModelEvent>> => {
        // One stream, however often it is asked before it is there.
        opening ??= ready().then((model) => model.stream(request, signal)[Symbol.asyncIterator]())
        inner = await opening
        return left ? { done: true, value: undefined } : inner.next()
      }
      return {
        next: () => inner?.next() ?? open(),
        async return(value?: unknown) {
          left = true
          return (await inner?.return?.(value)) ?? { done: true, value }
        },
      }
    },
  }
}
