import type { Runnable } from '@agentkit/core'
import type { Hono } from 'hono'
import { type GenerateSpecOptions, generateSpecs } from 'hono-openapi'
import { problemTable } from '../answer/problem-table.ts'
import type { ServerEnv } from '../util/server-env.ts'

/** The description of an app's routes: OpenAPI 3.1, made of the schemas that validate their requests. */
export async function openAPIDocument(app: Hono<ServerEnv>, agent: Runnable, hasAuth: boolean): Promise<object> {
  return generateSpecs(app, { documentation: documentation(agent, hasAuth), excludeStaticFile: false })
}

function documentation(agent: Runnable, hasAuth: boolean): NonNullable<GenerateSpecOptions['documentation']> {
  return {
    openapi: '3.1.0',
    info: { title: agent.name, version: '1', description: [agent.description, about].filter(Boolean).join('\n\n') },
    // Relative to this document: it holds behind a proxy, and below the path of another app.
    servers: [{ url: '.' }],
    tags: Object.entries(tags).map(([name, description]) => ({ name, description })),
    components: {
      schemas: { Problem: problemSchema },
      responses: {
        Problem: {
          description: 'The request failed: a problem (RFC 9457) whose `code` says why',
          content: { 'application/problem+json': { schema: { $ref: '#/components/schemas/Problem' } } },
        },
      },
      ...(hasAuth && { securitySchemes: { token: { type: 'http', scheme: 'bearer' } } }),
    },
  }
}

const about = `The routes of an agentkit server. Bodies and fields are snake_case; events are those of the library.

Two kinds of routes that such servers often have are left out on purpose. None installs tools: a route that makes the server
run the code of a request would give the machine to everyone who can send one, so tools are functions of the program. And
none reads or writes tables of a database: a query that a client chooses passes by the separation of users, so there are
routes for conversations, runs and files, each of which asks for its user.`

const tags = {
  chat: 'A message, and the answer of the agent',
  runs: 'Stored runs: their state, events and approvals',
  sessions: 'Conversations: history, titles, deletion',
  files: 'What the agent can search: files, their index, cited passages',
  about: 'The agent and the server',
  dialects: 'The same agent in the protocols of other clients',
}

const text = { type: 'string' as const }

const problemSchema = {
  type: 'object' as const,
  properties: {
    type: text,
    title: text,
    status: { type: 'integer' as const },
    detail: text,
    code: { type: 'string' as const, enum: Object.keys(problemTable) },
    request_id: text,
    errors: {
      type: 'array' as const,
      items: {
        type: 'object' as const,
        properties: { path: { type: 'array' as const, items: {} }, message: text },
        required: ['path', 'message'],
      },
    },
  },
  required: ['type', 'title', 'status', 'detail', 'code', 'request_id'],
}
