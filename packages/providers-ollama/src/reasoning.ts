import type { ModelRequest } from '@agentkit/core'
import { modelTraits, type TraitTable } from '@agentkit/wire'

/**
 * The `think` field; `undefined` leaves it out. Only gpt-oss has degrees, and always thinks; the other models think or
 * do not.
 *
 * @param format whether the answer follows a schema: models that think as well return an empty answer
 */
export function think(
  model: string,
  effort: ModelRequest['reasoning'],
  format: boolean,
  warnings: string[],
): boolean | 'low' | 'medium' | 'high' | undefined {
  const wanted = effort !== undefined && effort !== 'none'
  const { thinks } = modelTraits(model, table)
  if (thinks === 'always') {
    if (effort !== 'none') return effort
    warnings.push(`"${model}" always reasons: the effort "none" was sent as "low".`)
    return 'low'
  }
  if (wanted && thinks === 'never') {
    warnings.push(`"${model}" does not take \`reasoning\`: it was left out.`)
    return format ? false : undefined
  }
  if (format) {
    if (wanted) warnings.push(`"${model}" may not reason when its answer follows a schema: \`reasoning\` was left out.`)
    return false
  }
  if (effort === 'low' || effort === 'medium') {
    warnings.push(`"${model}" reasons or does not: the effort "${effort}" was sent as on.`)
  }
  return effort === undefined ? undefined : wanted
}

const table: TraitTable<{ thinks: 'always' | 'on-or-off' | 'never' }> = {
  defaults: { thinks: 'on-or-off' },
  rows: [
    // Servers refuse `think` for models that cannot. Tags come after a colon.
    [{ name: /^(?:llama[23]?(?:\.\d)?(?:[:-]|$)|llava)/ }, { thinks: 'never' }],
    [{ name: /^(?:gemma[23]?n?|phi[34]|mistral(?:-nemo)?|qwen2(?:\.5)?[^:]*)(?::|$)/ }, { thinks: 'never' }],
    [{ name: /(?:^|\/)gpt-oss/ }, { thinks: 'always' }],
  ],
}
