declare module 'cloudflare:workers' {
  /** The secrets of the Worker; `wrangler types` writes this file. */
  export const env: { AGENT_TOKEN: string; OPENAI_API_KEY: string; OPENAI_BASE_URL?: string }
}
