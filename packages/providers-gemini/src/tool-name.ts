import { wireToolName } from '@agentkit/wire'

/** The name of a call that a model made, as Gemini takes it back: it begins with a letter there. */
export function geminiToolName(name: string): string {
  const wireName = wireToolName(name)
  return /^[A-Za-z_]/.test(wireName) ? wireName : `_${wireName}`.slice(0, 64)
}
