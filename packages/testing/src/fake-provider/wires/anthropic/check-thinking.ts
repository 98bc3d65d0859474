import { ApiError } from '../errors.ts'
import { type Fields, isFields } from '../wire-spec.ts'
import { fieldsAt, invalid, oneOfAt, refuseExtras, wholeNumberAt } from './checks.ts'
import { boundBlocks, isThinking, type Turn } from './conversation.ts'
import { modelRules } from './model-rules.ts'
import { digest, unseal } from './signature.ts'

const bindingBeta = 'thinking-binding-controls-2026-08-01'

const types = ['enabled', 'disabled', 'adaptive', 'between_tools']
const guide = 'Please consult our documentation at https://docs.claude.com/en/docs/build-with-claude/extended-thinking'

/** Rejects a `thinking` option that the model does not support. */
export function checkThinkingConfig(body: Fields, betas: readonly string[]): void {
  if (body.thinking === undefined) return
  const thinking = fieldsAt(body.thinking, 'thinking')
  const type = oneOfAt(thinking.type, types, 'thinking.type')
  const known = ['type']
  if (type === 'enabled') known.push('budget_tokens')
  if (type === 'enabled' || type === 'adaptive') {
    known.push('display')
    if (betas.includes(bindingBeta)) known.push('block_binding')
  }
  refuseExtras(thinking, known, `thinking.${type}`)
  const supported = modelRules(String(body.model)).thinking
  if (!supported.includes(type)) {
    throw new ApiError(
      400,
      type === 'adaptive'
        ? 'adaptive thinking is not supported on this model'
        : `"thinking.type.${type}" is not supported for this model. Use "thinking.type.adaptive" and ` +
            '"output_config.effort" to control thinking behavior.',
    )
  }
  if (thinking.display !== undefined && thinking.display !== null) {
    oneOfAt(thinking.display, ['summarized', 'omitted'], `thinking.${type}.display`)
  }
  if (type !== 'enabled') return
  const path = 'thinking.enabled.budget_tokens'
  const budget = wholeNumberAt(thinking.budget_tokens, path)
  if (budget < 1024) throw invalid(path, 'Input should be greater than or equal to 1024')
  if (budget >= Number(body.max_tokens)) {
    throw new ApiError(400, `\`max_tokens\` must be greater than \`thinking.budget_tokens\`. ${guide}`)
  }
}

/** Rejects thinking that was forged, changed or moved. */
export function checkThinkingBlocks(body: Fields, turns: readonly Turn[]): void {
  const binds = modelRules(String(body.model)).bindsThinking && !dropsMismatches(body)
  const blocks = turns.flatMap((turn) => turn.blocks)
  let last: string | undefined
  blocks.forEach(({ block, path }, index) => {
    if (block.type !== 'thinking') return
    const seal = unseal(String(block.signature))
    if (!seal || seal.text !== digest(block.thinking)) throw invalid(path, 'Invalid `signature` in `thinking` block')
    const previous = last
    last = seal.id
    // A block of another model is dropped silently.
    if (!binds || seal.model !== body.model) return
    if (previous !== undefined && seal.after !== previous) throw unbound(path, 'A `thinking` block before it')
    if (seal.system !== digest({ content: body.system })) throw unbound(path, 'The `system` prompt')
    if (seal.tools !== digest(body.tools)) throw unbound(path, 'The `tools` list')
    if (seal.messages !== digest(boundBlocks(blocks.slice(0, index)))) throw unbound(path, 'A message before it')
  })
  checkToolLoop(body, turns)
}

function dropsMismatches({ thinking }: Fields): boolean {
  const binding = isFields(thinking) ? thinking.block_binding : undefined
  return isFields(binding) && binding.prefix_mismatch_behavior === 'drop_block'
}

function unbound(path: string, changed: string): ApiError {
  return invalid(
    path,
    'Invalid `signature` in `thinking` block. The block is bound to a different conversation. Remove the block, or ' +
      'set `thinking.block_binding.prefix_mismatch_behavior` to "drop_block". That setting requires the ' +
      `\`${bindingBeta}\` value in the \`anthropic-beta\` header. ${changed} differs from the one this block was ` +
      'created with.',
  )
}

/** With a thinking budget, a tool's result must follow the thinking that led to its call. */
function checkToolLoop(body: Fields, turns: readonly Turn[]): void {
  if (!isFields(body.thinking) || body.thinking.type !== 'enabled') return
  const caller = turns.findLast((turn) => turn.role === 'assistant')
  if (!caller?.blocks.some(({ block }) => block.type === 'tool_use')) return
  const first = caller.blocks[0]
  if (!first || isThinking(first.block)) return
  const answered = turns.at(-1)?.blocks.some(({ block }) => block.type === 'tool_result')
  if (!answered) return
  throw invalid(
    `${first.path}.type`,
    `Expected \`thinking\` or \`redacted_thinking\`, but found \`${first.block.type}\`. When \`thinking\` is enabled, ` +
      'a final `assistant` message must start with a thinking block (preceeding the lastmost set of `tool_use` and ' +
      '`tool_result` blocks). We recommend you include thinking blocks from previous turns. To avoid this ' +
      `requirement, disable \`thinking\`. ${guide}`,
  )
}
