import { Role, type StreamResponse, type Task, type TaskState } from '@a2a-js/sdk'
import {
  type Client,
  ClientFactory,
  ClientFactoryOptions,
  DefaultAgentCardResolver,
  JsonRpcTransportFactory,
} from '@a2a-js/sdk/client'
import type { Hono } from 'hono'

/** A client that has found the agent by its card. */
export async function clientOf(app: Hono, headers: Record<string, string> = {}): Promise<Client> {
  const fetchImpl = ((url: string, init: RequestInit = {}) =>
    app.request(url, { ...init, headers: { ...(init.headers as Record<string, string>), ...headers } })) as typeof fetch
  const cardResolver = new DefaultAgentCardResolver({ fetchImpl })
  const transports = [new JsonRpcTransportFactory({ fetchImpl })]
  const factory = new ClientFactory(
    ClientFactoryOptions.createFrom(ClientFactoryOptions.default, { transports, cardResolver }),
  )
  return factory.createFromUrl('http://localhost')
}

export type Content = NonNullable<StreamResponse['payload']>
type Part = { $case: 'text'; value: string } | { $case: 'data'; value: unknown }

let messages = 0
export const message = (content: Part, ids: { contextId?: string; taskId?: string } = {}) => ({
  tenant: '',
  message: {
    ...{ messageId: `m${++messages}`, contextId: '', taskId: '', role: Role.ROLE_USER, ...ids },
    parts: [{ content, metadata: undefined, filename: '', mediaType: '' }],
    ...{ metadata: undefined, extensions: [], referenceTaskIds: [] },
  },
  ...{ configuration: undefined, metadata: undefined },
})
export const ask = (text: string, ids?: { contextId?: string; taskId?: string }) =>
  message({ $case: 'text', value: text }, ids)
export const decision = (task: Task, decided: unknown) =>
  message(
    { $case: 'data', value: { approvals: { [approvalsOf(task)[0]?.id ?? '']: decided } } },
    { contextId: task.contextId, taskId: task.id },
  )

export type Shown = { id: string; name: string; input: unknown; kind: string }
export function approvalsOf(task: Task): Shown[] {
  const parts = task.status?.message?.parts ?? []
  return parts.flatMap(({ content }) => (content?.$case === 'data' ? content.value.approvals : []))
}

export const textOf = (task: Task): string =>
  task.artifacts
    .flatMap(({ parts }) => parts.map(({ content }) => (content?.$case === 'text' ? content.value : '')))
    .join('')

export async function sent(client: Client, request: ReturnType<typeof ask>): Promise<Task> {
  const answer = await client.sendMessage(request)
  if (!('artifacts' in answer)) throw new Error('The answer is no task.')
  return answer
}

export async function streamed(client: Client, request: ReturnType<typeof ask>): Promise<Content[]> {
  const contents: Content[] = []
  for await (const { payload } of client.sendMessageStream(request)) if (payload) contents.push(payload)
  return contents
}

export const streamedText = (contents: Content[]): string =>
  contents
    .flatMap((each) => (each.$case === 'artifactUpdate' ? (each.value.artifact?.parts ?? []) : []))
    .map(({ content }) => (content?.$case === 'text' ? content.value : ''))
    .join('')
export const lastState = (contents: Content[]): TaskState | undefined => {
  const last = contents.at(-1)
  return last?.$case === 'statusUpdate' ? last.value.status?.state : undefined
}
