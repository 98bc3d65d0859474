/**
 * The name of a call that a model made, as a wire takes it back: models call names that no tool has
 * (`multi_tool_use.parallel`), and a provider refuses a conversation that holds one.
 */
export function wireToolName(name: string): string {
  return name.replace(/[^\w-]/g, '_').slice(0, 64) || 'unknown'
}
