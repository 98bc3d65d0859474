import type { Hono } from 'hono'
import OpenAI from 'openai'
import OpenAI6 from 'openai6'

export type ClientOptions = { headers?: Record<string, string>; apiKey?: string }

/** OpenAI's own clients, unchanged, by their major version. */
export const clients: [version: number, connect: (app: Hono, options?: ClientOptions) => OpenAI][] = [
  [7, (app, options) => new OpenAI(settings(app, options))],
  // The same methods.
  [6, (app, options) => new OpenAI6(settings(app, options)) as unknown as OpenAI],
]

function settings(app: Hono, { headers = {}, apiKey = 'any' }: ClientOptions = {}) {
  // The type of `fetch` takes a `Request` too, which the clients do not send.
  const fetch = (async (url: string, init: RequestInit) => app.request(url, init)) as never
  return { baseURL: 'http://localhost/v1', apiKey, fetch, defaultHeaders: headers, maxRetries: 0 }
}
