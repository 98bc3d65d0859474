import type { ModelRequest } from './model.ts'

// A key beside the type of requests: the declarations of a package that spreads a request cannot name a symbol of ours.
const convertedOfRun: unique symbol = Symbol.for('agentkit.convertedOfRun')

type RequestOfRun = ModelRequest & { readonly [convertedOfRun]?: Map<object, unknown> }

/**
 * Where providers keep what they have converted of a run, each by an object of its own, so that a step converts what is new. The
 * loop sets it in longer runs: it changes no message of a run that was sent.
 */
export function convertedOf(request: ModelRequest): Map<object, unknown> | undefined {
  const ofRun: RequestOfRun = request
  return ofRun[convertedOfRun]
}

/** The request with what `convertedOf` returns. */
export function withConverted(request: ModelRequest, converted: Map<object, unknown>): ModelRequest {
  const ofRun: RequestOfRun = { ...request, [convertedOfRun]: converted }
  return ofRun
}
