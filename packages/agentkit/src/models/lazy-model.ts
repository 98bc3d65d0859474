import type { Model, ModelEvent, ModelInfo, ModelRequest } from '@agentkit/core'
import { type Lazy, lazy } from '../util/lazy.ts'

/** A model whose provider package is imported by `load()`, or by its first call. */
export interface LazyModel extends Model {
  /** @throws AgentKitError `missing-package` when the provider's package is not installed */
  load(): Promise<void>
}

/**
 * A model that loads itself when it is first needed. Once loaded its `stream` is that of the loaded model. A load
 * that fails is tried again by the next call.
 */
export function lazyModel(id: string, load: () => Promise<Model>): LazyModel {
  const model = lazy(async () => {
    const loaded = await load()
    if (loaded.info) proxy.info = loaded.info
    proxy.stream = loaded.stream.bind(loaded)
    return loaded
  })
  const proxy: LazyModel & { info?: ModelInfo } = {
    id,
    load: async () => void (await model.load()),
    stream: (request, signal) => streamOnceLoaded(model, request, signal),
  }
  return proxy
}

/** The stream of a model that is not loaded yet: its first `next()` loads the model, then delegates to its iterator. */
function streamOnceLoaded(model: Lazy<Model>, request: ModelRequest, signal: AbortSignal): AsyncIterable<ModelEvent> {
  return {
    [Symbol.asyncIterator]() {
      let inner: AsyncIterator<ModelEvent> | undefined
      let opening: Promise<AsyncIterator<ModelEvent>> | undefined
      let isClosed = false
      const open = async (): Promise<IteratorResult<ModelEvent>> => {
        // Several `next()` before the model is loaded share one stream.
        opening ??= model.load().then((loaded) => loaded.stream(request, signal)[Symbol.asyncIterator]())
        inner = await opening
        return isClosed ? { done: true, value: undefined } : inner.next()
      }
      return {
        next: () => inner?.next() ?? open(),
        async return(value?: unknown) {
          isClosed = true
          return (await inner?.return?.(value)) ?? { done: true, value }
        },
      }
    },
  }
}
