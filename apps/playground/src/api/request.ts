import { problemOf, RequestError, readProblem } from './problem.ts'
import { dropToken, sessionToken } from './session-token.ts'

export type RequestOptions = {
  method?: 'GET' | 'POST' | 'PATCH' | 'DELETE'
  query?: Record<string, string | number | undefined>
  /** Sent as JSON. */
  json?: object
  form?: FormData
  headers?: Record<string, string>
  signal?: AbortSignal
}

/** The address of a route, relative to the page: it may be served below any path. */
export function addressOf(path: string, query: RequestOptions['query'] = {}): URL {
  const url = new URL(`./${path}`, document.baseURI)
  url.hash = ''
  url.search = ''
  for (const [name, value] of Object.entries(query)) if (value !== undefined) url.searchParams.set(name, String(value))
  return url
}

/**
 * Sends a request with the token of this tab.
 * @throws RequestError for an answer that is not 2xx; a 401 forgets the token
 */
export async function request(path: string, options: RequestOptions = {}): Promise<Response> {
  const { method = 'GET', query, json, form, headers = {}, signal } = options
  const token = sessionToken.value
  const response = await fetch(addressOf(path, query), {
    method,
    headers: {
      ...headers,
      ...(token && { authorization: `Bearer ${token}` }),
      ...(json && { 'content-type': 'application/json' }),
    },
    cache: 'no-store',
    credentials: 'same-origin',
    ...((json || form) && { body: json ? JSON.stringify(json) : (form ?? null) }),
    ...(signal && { signal }),
  })
  if (response.ok) return response
  if (response.status === 401) dropToken(token)
  throw new RequestError(await readProblem(response))
}

/** The same, of a route that answers JSON. The type is what `http.md` promises of the route. */
export async function requestJSON<T>(path: string, options?: RequestOptions): Promise<T> {
  return (await (await request(path, options)).json()) as T
}

/** Deletes what may be gone already: another tab may have deleted it. */
export async function requestDeletion(path: string, query: RequestOptions['query']): Promise<void> {
  await request(path, { method: 'DELETE', query }).catch((error: unknown) => {
    if (problemOf(error).status !== 404) throw error
  })
}
