/** A measured job: one run of an agent with the tool `echo`. */
export type Run = { text: string; toolCalls: number }

/** The prompt of one run. */
export type Prompt = {
  /** The script of the model server. */
  model: string
  prompt: string
  /** The session whose earlier turns are sent. */
  session?: string | undefined
  /** Seeds a session that is new. */
  history?: { role: 'user' | 'assistant'; content: string }[]
  /** Whether nothing reads the answer while it is written. */
  plain?: boolean | undefined
  onDelta?(text: string): void
}

/** A session with this number of messages. A summary replaces all but the last 50. */
export type StoredSession = { session: string; model: string; count: number; hasSummary: boolean }

/** A way to run agents, built for one model server. */
export type Contestant = {
  run(prompt: Prompt): Promise<Run>
  /** Builds the objects that the first run needs, without running. */
  construct(model: string): void
  /** Stores a session in a file, in which the later runs are stored too; of contestants with stores. */
  storeSession?(file: string, stored: StoredSession): Promise<void>
  /** Runs a swarm whose members answer one after the other. */
  runSwarm?(prompt: Prompt, members: number): Promise<Run>
}

export type Setup = (baseURL: string) => Contestant

export const systemPrompt = 'You are a test agent.'

/** The tool in the form of the SDKs. */
export const echoTool = {
  type: 'function' as const,
  function: {
    name: 'echo',
    description: 'Gives the text back.',
    parameters: { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] },
  },
}

/** Earlier messages of a conversation, each as long as a sentence. */
export function earlierMessages(count: number): NonNullable<Prompt['history']> {
  return Array.from({ length: count }, (_, index) => ({
    role: index % 2 === 0 ? 'user' : 'assistant',
    content: `Message ${index} of a conversation: about sixteen words, so that it is as long as people write them here.`,
  }))
}
