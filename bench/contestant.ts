/** A measured job: one streamed run of an agent with the tool `echo`. */
export type Run = { text: string; toolCalls: number }

/** A way to run agents, built for one model server. */
export type Contestant = {
  /** Runs one prompt. With a session, its earlier turns are sent. */
  run(model: string, prompt: string, session?: string, onDelta?: (text: string) => void): Promise<Run>
  /** Builds what the first run needs, without running. */
  construct(model: string): void
}

export type Setup = (baseURL: string) => Contestant

export const systemPrompt = 'You are a test agent.'
