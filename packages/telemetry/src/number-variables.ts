import { invalidConfig } from '@agentkit/core/internal'

export type Env = Readonly<Record<string, string | undefined>>

/**
 * How spans are batched. The SDK reads no variables for it.
 * @see https://opentelemetry.io/docs/specs/otel/configuration/sdk-environment-variables/#batch-span-processor
 * @throws AgentKitError `invalid-config` for a variable that is no such number, as the others here
 */
export function batchesOf(env: Env): Record<BatchOption, number> {
  return {
    scheduledDelayMillis: numberOf(env, 'OTEL_BSP_SCHEDULE_DELAY', 5_000),
    exportTimeoutMillis: positiveOf(env, 'OTEL_BSP_EXPORT_TIMEOUT', 30_000),
    maxQueueSize: positiveOf(env, 'OTEL_BSP_MAX_QUEUE_SIZE', 2_048),
    maxExportBatchSize: positiveOf(env, 'OTEL_BSP_MAX_EXPORT_BATCH_SIZE', 512),
  }
}

type BatchOption = 'scheduledDelayMillis' | 'exportTimeoutMillis' | 'maxQueueSize' | 'maxExportBatchSize'

/** https://opentelemetry.io/docs/specs/otel/configuration/sdk-environment-variables/#attribute-limits */
export function spanLimitsOf(env: Env): { attributeCountLimit: number; attributeValueLengthLimit: number } {
  const limit = (name: string, otherwise: number): number => {
    return numberOf(env, `OTEL_SPAN_${name}`, numberOf(env, `OTEL_${name}`, otherwise))
  }
  return {
    attributeCountLimit: limit('ATTRIBUTE_COUNT_LIMIT', 128),
    attributeValueLengthLimit: limit('ATTRIBUTE_VALUE_LENGTH_LIMIT', Number.POSITIVE_INFINITY),
  }
}

/** https://opentelemetry.io/docs/specs/otel/configuration/sdk-environment-variables/#periodic-exporting-metricreader */
export function metricTimesOf(env: Env): { exportIntervalMillis: number; exportTimeoutMillis: number } {
  const exportIntervalMillis = positiveOf(env, 'OTEL_METRIC_EXPORT_INTERVAL', 60_000)
  const timeout = positiveOf(env, 'OTEL_METRIC_EXPORT_TIMEOUT', 30_000)
  // The reader takes no longer one than its interval.
  return { exportIntervalMillis, exportTimeoutMillis: Math.min(timeout, exportIntervalMillis) }
}

function positiveOf(env: Env, variable: string, otherwise: number): number {
  const value = numberOf(env, variable, otherwise)
  if (value >= 1) return value
  throw invalidConfig(`${variable} is "${env[variable]}". Set it to a number of 1 or more.`)
}

export function numberOf(env: Env, variable: string, otherwise: number): number {
  const text = env[variable]
  if (!text) return otherwise
  const value = Number(text)
  if (value >= 0 && value < 2 ** 31) return value
  throw invalidConfig(`${variable} is "${text}". Set it to a number that is not negative.`)
}
