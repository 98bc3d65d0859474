import type { ErrorCode, ErrorInfo } from '@agentkit/core'

/** Codes of invalid requests. Failures of runs have core's codes. */
export type RequestErrorCode =
  | 'missing-field'
  | 'invalid-field'
  | 'malformed-chat-data'
  | 'malformed-json'
  | 'forbidden-role'
  | 'field-too-large'
  | 'payload-too-large'
  | 'too-many-parts'
  | 'malformed-multipart'
  | 'unsupported-media-type'
  | 'not-acceptable'
  | 'unauthorized'
  | 'host-not-allowed'
  | 'cross-origin'
  | 'proxy-not-configured'
  | 'method-not-allowed'
  | 'request-timeout'
  | 'invalid-filename'
  | 'file-type-not-allowed'
  | 'file-type-mismatch'
  | 'file-exists'
  | 'path-not-allowed'
  | 'unprocessable-file'
  | 'quota-exceeded'
  | 'stream-expired'
  | 'idempotency-key-reused'
  | 'approval-not-allowed'
  | 'insufficient-storage'
  | 'internal-error'

/** The `code` of a problem: a closed list. */
export type ProblemCode = ErrorCode | RequestErrorCode

/** The status and title of an error over HTTP. */
export type ProblemKind = {
  status: number
  title: string
  /** The sentence that clients see, unless the server has a more precise one. */
  detail: string
  /** Sent as `Retry-After` when the error has no delay of its own. */
  retryAfterSeconds?: number
}

const misconfigured = { status: 500, title: 'Server misconfigured' }
const badGateway = { status: 502, title: 'Model provider failed' }
const notFinished = { status: 500, title: 'Run not finished' }

/** Status and sentences of every code. Answers of 5xx use these sentences only, or name a limit of the server. */
export const problemTable: Readonly<Record<ProblemCode, ProblemKind>> = {
  'missing-field': { status: 422, title: 'Missing field', detail: 'A required form field is missing.' },
  'invalid-field': { status: 422, title: 'Invalid field', detail: 'A form field has a value that is not allowed.' },
  'malformed-chat-data': {
    status: 400,
    title: 'Malformed chat_data',
    detail: 'chat_data must be JSON: {"messages": [{"role": "user", "content": "…"}]}.',
  },
  'malformed-json': { status: 400, title: 'Malformed JSON', detail: 'The body is not valid JSON.' },
  'forbidden-role': {
    status: 400,
    title: 'Forbidden role',
    detail: 'Messages must have the role "user" or "assistant"; only the server sends system and tool messages.',
  },
  'field-too-large': { status: 413, title: 'Field too large', detail: 'A form field is too large.' },
  'payload-too-large': { status: 413, title: 'Payload too large', detail: 'The request body is too large.' },
  'too-many-parts': { status: 413, title: 'Too many parts', detail: 'The form has too many parts.' },
  'malformed-multipart': {
    status: 400,
    title: 'Malformed multipart body',
    detail: 'The body is not a complete multipart form.',
  },
  'unsupported-media-type': {
    status: 415,
    title: 'Unsupported media type',
    detail: 'Send the request as multipart/form-data, with the text fields user_id, session_id and chat_data.',
  },
  'not-acceptable': {
    status: 406,
    title: 'Not acceptable',
    detail: 'Answers come as text/plain, application/json or text/event-stream; accept one of them.',
  },
  unauthorized: {
    status: 401,
    title: 'Unauthorized',
    detail: 'Send a valid token in the header "Authorization: Bearer <token>".',
  },
  'host-not-allowed': {
    status: 403,
    title: 'Host not allowed',
    detail: 'This server does not accept that host name.',
  },
  'cross-origin': {
    status: 403,
    title: 'Cross-origin request',
    detail:
      'A page of another origin may call this server only where `cors` names it: `cors: { origins: ["https://app.example.com"] }` ' +
      '(`cors_origins` in a [server] table).',
  },
  'proxy-not-configured': {
    status: 403,
    title: 'Proxy not configured',
    detail:
      'This request came through a proxy, and this server asks for no token: everyone who reaches the proxy could use it. ' +
      'Set `auth` (`auth_tokens_env` in a [server] table), or confirm by `allowUnauthenticated: true`.',
  },
  'method-not-allowed': {
    status: 405,
    title: 'Method not allowed',
    detail: 'This path does not support that method; the header "Allow" lists those that it supports.',
  },
  'request-timeout': { status: 408, title: 'Request timeout', detail: 'The request body stopped arriving.' },
  'stream-expired': {
    status: 410,
    title: 'Events expired',
    detail: 'The events after this one are no longer kept. Read the run instead.',
  },
  'idempotency-key-reused': {
    status: 422,
    title: 'Idempotency key reused',
    detail: 'This Idempotency-Key belongs to another request. Use a new key for each request.',
  },
  'approval-not-allowed': {
    status: 403,
    title: 'Approval not allowed',
    detail: 'This token may not decide on approvals; another person has to.',
  },
  'invalid-filename': {
    status: 400,
    title: 'Invalid file name',
    detail:
      'This is not the name of a file. Send a name of at most 255 bytes, without a path and without a dot in front.',
  },
  'file-type-not-allowed': {
    status: 400,
    title: 'File type not allowed',
    detail: 'The agent does not read files of this type.',
  },
  'file-type-mismatch': {
    status: 400,
    title: 'File type mismatch',
    detail: 'The content of the file does not fit the extension of its name.',
  },
  'file-exists': { status: 409, title: 'File exists', detail: 'There is a file of this name already.' },
  'path-not-allowed': {
    status: 400,
    title: 'Path not allowed',
    detail: 'The path is not inside of the folder with the files of the agent.',
  },
  'unprocessable-file': { status: 422, title: 'Unprocessable file', detail: 'None of the files could be read.' },
  'quota-exceeded': {
    status: 413,
    title: 'Quota exceeded',
    detail: 'There is no room for more files. Delete some first.',
  },
  'internal-error': { status: 500, title: 'Internal error', detail: 'The server failed to handle the request.' },

  'insufficient-storage': {
    status: 507,
    title: 'Insufficient storage',
    detail: 'The disk of the server has no room left.',
  },

  'invalid-config': { ...misconfigured, detail: 'The server is not configured correctly.' },
  'missing-key': { ...misconfigured, detail: 'The server has no key for its model provider.' },
  'missing-package': { ...misconfigured, detail: 'A package that the server needs is not installed.' },
  'invalid-argument': {
    status: 400,
    title: 'Invalid argument',
    detail: 'The agent does not accept this request.',
  },
  unsupported: {
    status: 400,
    title: 'Unsupported',
    detail: 'The agent or its model does not support what the request asks for.',
  },
  'not-found': { status: 404, title: 'Not found', detail: 'There is no such resource.' },
  'session-busy': {
    status: 409,
    title: 'Session busy',
    detail: 'Another run of this session is still active.',
    retryAfterSeconds: 1,
  },
  'session-conflict': {
    status: 409,
    title: 'Session conflict',
    detail: 'Another run has changed this session in the meantime.',
    retryAfterSeconds: 1,
  },
  'context-overflow': {
    status: 422,
    title: 'Conversation too long',
    detail: 'The conversation is too long for the model.',
  },
  'content-filter': { status: 422, title: 'Content refused', detail: 'The model provider refused the content.' },
  'unreadable-file': { status: 422, title: 'Unreadable file', detail: 'A file could not be read.' },
  auth: { ...badGateway, detail: "The model provider did not accept the server's credentials." },
  'model-not-found': { ...badGateway, detail: "The model provider does not know the agent's model." },
  'bad-request': { ...badGateway, detail: 'The model provider did not accept the request.' },
  'provider-error': { ...badGateway, detail: 'The model provider failed.' },
  network: { ...badGateway, detail: 'The model provider could not be reached.' },
  'incomplete-stream': { ...badGateway, detail: "The model provider's answer ended early." },
  'malformed-stream': { ...badGateway, detail: "The model provider's answer could not be read." },
  'invalid-tool-call': { ...badGateway, detail: 'The model called a tool in a way that could not be read.' },
  quota: { ...badGateway, detail: "The server's quota with the model provider is used up." },
  'rate-limit': {
    status: 503,
    title: 'Model provider busy',
    detail: "The model provider limits the server's rate of requests.",
    retryAfterSeconds: 5,
  },
  overloaded: {
    status: 503,
    title: 'Overloaded',
    detail: 'The server or its model provider has more requests than it can handle.',
    retryAfterSeconds: 5,
  },
  storage: {
    status: 503,
    title: 'Storage unavailable',
    detail: 'The session could not be stored or read.',
    retryAfterSeconds: 5,
  },
  aborted: { status: 503, title: 'Run aborted', detail: 'The run was aborted.' },
  timeout: { status: 504, title: 'Deadline exceeded', detail: 'The run exceeded its deadline.' },
  'tool-error': { ...notFinished, detail: 'A tool failed.' },
  budget: { ...notFinished, detail: 'The run has used up its budget.' },
  'max-steps': { ...notFinished, detail: 'The run exceeded its limit of steps.' },
  'no-progress': { ...notFinished, detail: 'The run made no progress.' },
  approval: { ...notFinished, detail: 'The run needed an approval, which was not given in time.' },
  crashed: { ...notFinished, detail: 'The process of the run died.' },
}

/** The sentence that clients see of a failure. A provider that is silent is no deadline of the run. */
export function sentenceOf({ code, phase }: Pick<ErrorInfo, 'code' | 'phase'>): string {
  if (code === 'timeout' && (phase === 'first-byte' || phase === 'idle'))
    return 'The model provider did not answer in time.'
  // Another version of core may have codes that this table lacks.
  return (Object.hasOwn(problemTable, code) ? problemTable[code] : problemTable['internal-error']).detail
}
