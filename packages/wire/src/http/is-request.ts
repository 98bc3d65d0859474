/**
 * Whether what a `fetch` received is a `Request`, also where a server has replaced the global class, as `@hono/node-server`
 * does: a clone of its `Request` is an instance of Node's class alone.
 */
export function isRequest(input: string | URL | Request): input is Request {
  return typeof input === 'object' && 'url' in input
}
