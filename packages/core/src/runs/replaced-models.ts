import { AsyncLocalStorage } from 'node:async_hooks'
import type { Model } from '../contracts/model.ts'

const replacing: AsyncLocalStorage<(model: Model) => Model> = new AsyncLocalStorage()

/**
 * Every model call of the runs that `work` starts is made by the model that `replace` returns for the model of the agent,
 * also the calls of members and of agents that tools run. Evals record and replay models so.
 *
 * @example
 * withReplacedModels((model) => cassette.model(model.id), () => agent.stream('Hello').result)
 */
export function withReplacedModels<Value>(replace: (model: Model) => Model, work: () => Value): Value {
  return replacing.run(replace, work)
}

/** The model that makes the calls of this one here. */
export function actingModel(model: Model): Model {
  return replacing.getStore()?.(model) ?? model
}
