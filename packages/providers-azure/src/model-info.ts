import type { ModelInfo } from '@agentkit/core'
import { modelFacts, modelInfoOf } from '@agentkit/wire'
import models from './models.json' with { type: 'json' }

/**
 * What is known of a deployment.
 * @param model of OpenAI's, as the user says or as the deployment is called; one that is unknown never blocks
 */
export function modelInfo(model: string): ModelInfo {
  const info = modelInfoOf(modelFacts(model, models), models)
  const tokens = imageTokens(model)
  return {
    ...info,
    ...(tokens !== undefined && { imageTokens: tokens }),
    nativeOutput: withoutNativeOutput.test(model) ? 'never' : 'always',
  }
}

const withoutNativeOutput = /^gpt-(?:3|4$|4-)/

/** The most that OpenAI counts for an image; what is absent is less than core assumes. */
function imageTokens(model: string): number | undefined {
  if (/^gpt-4o-mini/.test(model)) return 48_169
  const [, major, minor = '0'] = /^gpt-(\d+)(?:\.(\d+))?/.exec(model) ?? []
  const version = Number(major) * 100 + Number(minor)
  if (version >= 506) return 36_000
  return version === 505 ? 12_000 : undefined
}
