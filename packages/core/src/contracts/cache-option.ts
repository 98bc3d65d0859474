import { isRecord } from '../data/message-problem.ts'
import { isOneOf, type OptionRule } from '../util/options/check-options.ts'

/**
 * Whether providers cache the beginning of a prompt that later requests repeat: what will be repeated (`"auto"`), nothing
 * (`"off"`), or what will be repeated, under a given key, which conversations then share.
 */
export type CacheOption = 'auto' | 'off' | { key: string }

/** OpenAI's limit. */
const mostKeyChars = 64

export const isCacheOption: OptionRule = {
  is: `"auto", "off" or { key: "…" }, a text of 1 to ${mostKeyChars} characters`,
  holds(value) {
    if (isOneOf(['auto', 'off']).holds(value)) return true
    if (!isRecord(value) || Object.keys(value).join() !== 'key') return false
    const { key } = value
    return typeof key === 'string' && key.trim() !== '' && key.length <= mostKeyChars
  },
}
