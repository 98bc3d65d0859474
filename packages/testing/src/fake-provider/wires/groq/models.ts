/** Whether a model reasons before it answers, and so accepts options for reasoning. */
export function isReasoningModel(model: string): boolean {
  return /gpt-oss|qwen-?3|qwq|deepseek-r1|magistral|minimax|glm/i.test(model)
}

/** Whether a model accepts images. Models that are known not to accept only text. */
export function isVisionModel(model: string): boolean {
  return !/^(?:llama-?3|openai\/gpt-oss|qwen\/qwen3-|gemma2|mixtral|moonshotai|deepseek)/.test(model)
}
