/** The capabilities of a Gemini model, by its generation. */
export type ModelRules = {
  thinks: boolean
  /** Supports a thinking level in place of a budget, structured output together with tools, images from functions. */
  isThird: boolean
  /** The supported thinking budgets, besides -1. */
  budgets: { least: number; most: number; off: boolean }
  levels: readonly string[]
}

export function modelRules(model: string): ModelRules {
  const version = Number(/^gemini-(\d+(?:\.\d+)?)/.exec(model)?.[1] ?? 3)
  const isFlash = model.includes('flash')
  return {
    thinks: version >= 2.5,
    isThird: version >= 3,
    budgets: {
      least: isFlash ? (model.includes('lite') ? 512 : 1) : 128,
      most: isFlash ? 24_576 : 32_768,
      off: isFlash || version >= 3,
    },
    levels: isFlash || version > 3 ? ['MINIMAL', 'LOW', 'MEDIUM', 'HIGH'] : ['LOW', 'HIGH'],
  }
}
