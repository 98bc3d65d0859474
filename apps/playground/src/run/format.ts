import type { Cost, Usage } from '@agentkit/core'
import { t } from '../text/t.ts'

/** The usage of the answers of a conversation. */
export type SessionSum = { tokens: number; isEstimated: boolean; usd: number; priced: number; unpriced: number }

/** A whole number. Browsers need tens of milliseconds to load their own way, in the middle of an answer. */
export function formatNumber(value: number): string {
  return String(Math.round(value)).replace(/\B(?=(?:\d{3})+$)/g, t('number.group'))
}

/** A number with `digits` decimals. */
export function formatDecimal(value: number, digits: number): string {
  const [whole = '', decimals] = value.toFixed(digits).split('.')
  return formatNumber(Number(whole)) + (decimals === undefined ? '' : t('number.decimal') + decimals)
}

/** Never "$0" for a cost above 0, and never a number for an unknown cost. */
export function formatUsd(usd: number): string {
  if (usd > 0 && usd < 0.0001) return `< $${formatDecimal(0.0001, 4)}`
  return `$${formatDecimal(usd, usd === 0 ? 0 : usd < 1 ? 4 : 2)}`
}

/** @param usage of the same calls: where no tokens are known, a cost of 0 counts as unknown */
export function formatCost(cost: Cost | undefined, usage?: Usage): string {
  const isKnown = cost && (cost.usd > 0 || !usage || hasTokens(usage))
  if (!isKnown) return t('cost.unknown')
  return `${cost.estimated ? '~' : ''}${formatUsd(cost.usd)}`
}

function hasTokens({ inputTokens, outputTokens, totalTokens }: Usage): boolean {
  return (inputTokens ?? outputTokens ?? totalTokens) !== undefined
}

/** Tokens in, out and cached; figures that are not reported are left out. */
export function formatUsage({ inputTokens, outputTokens, cachedInputTokens, estimated }: Usage): string {
  const mark = estimated ? '~' : ''
  const parts = [
    inputTokens !== undefined && t('cost.in', { count: mark + formatNumber(inputTokens) }),
    outputTokens !== undefined && t('cost.out', { count: mark + formatNumber(outputTokens) }),
    cachedInputTokens !== undefined &&
      cachedInputTokens > 0 &&
      t('cost.cached', { count: formatNumber(cachedInputTokens) }),
  ].filter(Boolean)
  return parts.length === 0 ? t('cost.noTokens') : parts.join(', ')
}

export function formatDuration(given: number): string {
  // Rounded to the shown precision first: 59.96 s are a minute.
  const ms = given < 999.5 ? given : Math.round(given / 100) * 100
  if (ms < 1_000) return `${Math.round(ms)} ms`
  return ms < 60_000
    ? `${formatDecimal(ms / 1_000, 1)} s`
    : `${Math.floor(ms / 60_000)} min ${Math.floor((ms % 60_000) / 1_000)} s`
}

export function formatBytes(bytes: number): string {
  const [unit, size] = bytes < 1_000 ? ['B', 1] : bytes < 1e6 ? ['KB', 1e3] : ['MB', 1e6]
  return `${formatDecimal(bytes / (size as number), size === 1 ? 0 : 1)} ${unit}`
}

export function formatSum({ tokens, isEstimated, usd, priced, unpriced }: SessionSum): string {
  const mark = isEstimated ? '~' : ''
  const cost = priced === 0 ? t('cost.unknown') : `${mark}${formatUsd(usd)}`
  const rest = priced > 0 && unpriced > 0 ? ` ${t('cost.andUnpriced', { count: String(unpriced) })}` : ''
  return `${t('cost.tokens', { count: mark + formatNumber(tokens) })} · ${cost}${rest}`
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is removed
const hidden = /[\u0000-\u001f\u007f-\u009f\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u2069\ufeff]/g

/**
 * Without characters that change the direction of the text around them, or are not visible. Joiners stay: words and emoji have
 * them.
 */
export function plainName(name: string, max = 200): string {
  const plain = name.replace(hidden, '')
  return plain.length > max ? `${plain.slice(0, max).replace(/[\ud800-\udbff]$/, '')}…` : plain
}
