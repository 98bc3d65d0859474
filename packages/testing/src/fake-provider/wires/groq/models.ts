/** Whether a model thinks before it answers, and so takes what is about reasoning. */
export function isReasoningModel(model: string): boolean {
  return /gpt-oss|qwen-?3|qwq|deepseek-r1|magistral|minimax|glm/i.test(model)
}

/** Whether a model may see. Those that are known not to take nothing but text. */
export function isVisionModel(model: string): boolean {
  return !/^(?:llama-?3|openai\/gpt-oss|qwen\/qwen3-|gemma2|mixtral|moonshotai|deepseek)/.test(model)
}
