import type { Model, Price } from '../contracts/model.ts'
import { AgentKitError } from '../data/errors.ts'
import type { Budget } from './budget.ts'
import type { Prices } from './price.ts'

/** What the user says, before what is known of the model. */
export function priceOf(model: Model, prices: Prices): Price | undefined {
  const own = Object.hasOwn(prices, model.id) ? prices[model.id] : undefined
  return own ? { asOf: '', ...own } : model.info?.price
}

/**
 * @param known whether all is known that will be; otherwise models whose `info` comes late are left for later
 * @throws AgentKitError `invalid-config` when US dollars are bounded and the price of one of the models is not known
 */
export function checkPriced(models: readonly Model[], prices: Prices, { usd }: Budget, known = false): void {
  if (usd === undefined) return
  const model = models.find((model) => (known || !model.load) && !priceOf(model, prices))
  if (model) throw unpriced(model)
}

/** The error of a budget in US dollars that cannot be kept. */
export function unpriced({ id }: Model): AgentKitError {
  return new AgentKitError(
    'invalid-config',
    `A budget in US dollars needs the price of "${id}", which is not known. Pass it: prices: { "${id}": ` +
      '{ inputUsdPerMillion: …, outputUsdPerMillion: … } }. Or bound `tokens` instead.',
  )
}
