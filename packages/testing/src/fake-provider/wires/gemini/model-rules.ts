/** What a Gemini model takes and does, by its generation. */
export type ModelRules = {
  thinks: boolean
  /** Takes a level of thinking in place of a budget, output in a schema together with tools, images from functions. */
  isThird: boolean
  /** The budgets of thinking that it takes, besides -1. */
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
