import type { ModelRequest } from '../../contracts/model.ts'
import { applyHook } from '../../policies/hooks.ts'
import type { Run } from '../run/types.ts'

/**
 * The request as the hook `beforeModel` returns it. A hook that selects tools does not know the one that takes the answer,
 * and without it there is none: that tool stays.
 */
export async function hookedRequest(
  { agent, hookContext, finalTool }: Run,
  request: ModelRequest,
): Promise<ModelRequest> {
  const { beforeModel } = agent.hooks
  if (!beforeModel) return request
  const { value } = await applyHook('beforeModel', beforeModel, request, hookContext)
  const { tools = [] } = value
  const answerTool = request.tools?.find(({ name }) => name === finalTool)
  return answerTool && !tools.some(({ name }) => name === finalTool)
    ? { ...value, tools: [...tools, answerTool] }
    : value
}
