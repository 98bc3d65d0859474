/** What a Gemini model takes. A name that says nothing is taken to accept what most models do. */
export type GeminiTraits = {
  /** Calls have ids and must have signatures, results may hold images, and tools go with structured output. */
  sinceGemini3: boolean
  /** How thinking is asked for; `undefined` where it cannot be, or where the name does not tell. */
  thinking: ThinkingLevels | ThinkingBudget | undefined
  /** Whether it takes a system instruction and answers in JSON: the older Gemma models do not. */
  instructed: boolean
  /** Whether it reads files at any public address; older models only those that Google hosts. */
  readsAddresses: boolean
}

export type Level = 'minimal' | 'low' | 'medium' | 'high'
/** From the least on. */
export type ThinkingLevels = { by: 'level'; levels: readonly Level[] }
/** In tokens. */
export type ThinkingBudget = { by: 'budget'; least: number }

/** @param model without `models/` */
export function geminiTraits(model: string): GeminiTraits {
  const [, major, minor = '0'] = /^gemini-(\d+)(?:\.(\d+))?\b/.exec(model) ?? []
  // Names without a version, such as gemini-flash-latest, stand for the newest.
  const newest = major === undefined && model.startsWith('gemini-')
  const version = newest
    ? Number.POSITIVE_INFINITY
    : major === undefined
      ? undefined
      : Number(major) * 100 + Number(minor)
  const oldGemma = /^gemma-[123]/.test(model)
  return {
    sinceGemini3: version !== undefined && version >= 300,
    thinking: thinking(model, version),
    instructed: !oldGemma,
    readsAddresses: version === undefined ? !oldGemma : version >= 205,
  }
}

function thinking(model: string, version = 0): GeminiTraits['thinking'] {
  if (model.startsWith('gemma-4')) return { by: 'level', levels: ['minimal', 'high'] }
  if (version >= 300) return { by: 'level', levels: levels(model, version) }
  // A budget of 0 is none; 2.5 Pro always thinks.
  return version >= 205 ? { by: 'budget', least: /-pro/.test(model) ? 128 : 0 } : undefined
}

/** The least level is refused by the Pro models and, from 3.7 on, by Flash, but not by Flash-Lite. */
function levels(model: string, version: number): readonly Level[] {
  if (model.startsWith('gemini-3-pro')) return ['low', 'high']
  const takesMinimal = /-flash-lite/.test(model) || (/-flash/.test(model) && version < 307)
  return takesMinimal ? ['minimal', 'low', 'medium', 'high'] : ['low', 'medium', 'high']
}
