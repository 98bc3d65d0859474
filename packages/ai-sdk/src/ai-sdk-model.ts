/**
 * A language model of the AI SDK: what `openai('gpt-5.4')`, `createMistral()(…)`, `wrapLanguageModel(…)` return. It is
 * described by its form, so that the types of `ai` 6 and 7 both fit.
 */
export type AISDKModel = {
  readonly specificationVersion: 'v3' | 'v4'
  readonly provider: string
  readonly modelId: string
  readonly supportedUrls?: unknown
  doStream(options: never): PromiseLike<{ stream: ReadableStream<unknown> }>
}
