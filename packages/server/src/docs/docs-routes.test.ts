import { Agent, Swarm } from '@agentkit/core'
import { scriptedModel } from '@agentkit/testing'
import { Validator } from '@seriousme/openapi-schema-validator'
import type { Hono } from 'hono'
import { describe, expect, it } from 'vitest'
import { expectProblem } from '../__fixtures__/requests.ts'
import { createApp } from '../create-app.ts'
import type { ServerOptions } from '../options.ts'

const agent = new Agent({ name: 'Notes <b>', functions: [], model: scriptedModel([]) })
const swarm = new Swarm({ name: 'Team', agents: [agent], model: scriptedModel([]) })
const tokens = { 'the-token-of-all': '*' }
const bearer = { authorization: 'Bearer the-token-of-all' }

type Operation = {
  tags: string[]
  summary: string
  operationId: string
  parameters?: { name: string; in: string; required: boolean; schema: object }[]
  requestBody?: { content: Record<string, { schema: { type?: string } }> }
  responses: Record<string, { description?: string; content?: Record<string, { schema: object }>; $ref?: string }>
  security?: object[]
}
type Document = {
  openapi: string
  servers: { url: string }[]
  tags: { name: string }[]
  paths: Record<string, Record<string, Operation>>
  components: { securitySchemes?: object }
}

async function documentOf(app: Hono, headers = {}): Promise<Document> {
  const response = await app.request('/openapi.json', { headers })
  expect(response.status).toBe(200)
  return (await response.json()) as Document
}

function operations(document: Document): [name: string, path: string, operation: Operation][] {
  return Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]): [string, string, Operation] => [
      `${method.toUpperCase()} ${path}`,
      path,
      operation,
    ]),
  )
}

describe('/openapi.json', () => {
  it.each([
    ['an agent', agent, {}],
    ['a swarm', swarm, {}],
    ['a server with tokens', agent, { auth: { tokens } }],
    ['a server without the page to try it', agent, { playground: false }],
  ])('is a valid OpenAPI 3.1 document: %s', async (_name, runnable, options) => {
    const document = await documentOf(createApp(runnable, options), bearer)
    const { valid, errors } = await new Validator().validate(structuredClone(document))
    expect([errors, valid]).toEqual([undefined, true])
    expect(document.openapi).toMatch(/^3\.1\./)
  })

  it('has every route of the app, and nothing else', async () => {
    const app = createApp(swarm)
    const routes = app.routes
      .filter(({ method, path }) => method !== 'ALL' && !/[/*]$/.test(path))
      .map(({ method, path }) => `${method} ${path.replace(/:(\w+)/g, '{$1}')}`)
    const described = operations(await documentOf(app)).map(([name]) => name)
    expect(described.sort()).toEqual([...new Set(routes)].sort())
    expect(described).toEqual(expect.arrayContaining(['POST /swarm/chat', 'GET /docs', 'GET /openapi.json']))
  })

  it('describes of each route its tag, parameters, body, answers and problems', async () => {
    const document = await documentOf(createApp(swarm))
    const tags = document.tags.map(({ name }) => name)
    const ids = new Set<string>()
    for (const [name, path, { tags: own, summary, operationId, parameters = [], requestBody, responses }] of operations(
      document,
    )) {
      expect([name, tags.includes(own[0] ?? '')]).toEqual([name, true])
      expect(summary, name).toMatch(/^[A-Z].*[^.]$/)
      expect(ids.has(operationId), name).toBe(false)
      ids.add(operationId)
      const inPath = [...path.matchAll(/\{(\w+)\}/g)].map(([, parameter]) => parameter)
      expect(
        parameters.filter((each) => each.in === 'path').map((each) => each.name),
        name,
      ).toEqual(inPath)
      for (const { schema } of Object.values(requestBody?.content ?? {})) expect(schema, name).toBeTypeOf('object')
      const isDialect = /^\/(?:v1|ui)\//.test(path)
      if (!isDialect) expect(responses.default, name).toEqual({ $ref: '#/components/responses/Problem' })
      for (const [status, { content }] of Object.entries(responses)) {
        if (status === 'default' || status === '204') continue
        expect(
          Object.values(content ?? {}).map(({ schema }) => typeof schema),
          `${name} ${status}`,
        ).not.toEqual([])
      }
    }
  })

  it('has the limits of fields, and keys of idempotency on each POST', async () => {
    const { paths } = await documentOf(createApp(agent))
    const parameters = paths['/api/v1/sessions']?.get?.parameters
    expect(parameters).toContainEqual({
      name: 'limit',
      in: 'query',
      required: false,
      schema: { type: 'integer', minimum: 1, maximum: 1_000 },
    })
    expect(parameters).toContainEqual(
      expect.objectContaining({
        name: 'user_id',
        schema: { type: 'string', minLength: 1, maxLength: 128, pattern: '^[^\\u0000-\\u001f\\u007f-\\u009f]+$' },
      }),
    )
    const chat = paths['/api/v1/chat']?.post?.parameters
    expect(chat).toContainEqual(expect.objectContaining({ name: 'Idempotency-Key', in: 'header', required: false }))
  })

  it('requires a token where the server does, except for public routes', async () => {
    const { paths, components } = await documentOf(createApp(agent, { auth: { tokens } }), bearer)
    expect(components.securitySchemes).toEqual({ token: { type: 'http', scheme: 'bearer' } })
    expect(paths['/api/v1/chat']?.post?.security).toEqual([{ token: [] }])
    expect(paths['/health']?.get?.security).toEqual([{}, { token: [] }])
    const open = await documentOf(createApp(agent))
    expect([open.components.securitySchemes, open.paths['/api/v1/chat']?.post?.security]).toEqual([
      undefined,
      undefined,
    ])
  })

  it('says which routes are left out on purpose', async () => {
    const text = await (await createApp(agent).request('/openapi.json')).text()
    expect(text).toMatch(/None installs tools/)
    expect(text).toMatch(/none reads or writes tables of a database/)
  })
})

describe('/docs', () => {
  const page = async (app: Hono, path: string) => {
    const response = await app.request(path)
    expect(response.status).toBe(200)
    return { html: await response.text(), headers: response.headers }
  }
  const loaded = (html: string): string[] => [...html.matchAll(/(?:src|href)="([^"]*)"/g)].map(([, url = '']) => url)

  it.each([
    ['/docs', {}],
    ['/docs/', {}],
    ['/agent/docs', { basePath: '/agent' }],
    ['/agent/docs/', { basePath: '/agent' }],
  ] satisfies [string, ServerOptions][])(
    'at %s loads only files of this server, and all exist',
    async (path, options) => {
      const app = createApp(agent, options)
      const { html } = await page(app, path)
      const urls = loaded(html).filter((url) => url !== 'data:,')
      expect(urls).toHaveLength(3)
      for (const url of urls) {
        const at = new URL(url, `http://localhost${path}`)
        expect(at.host).toBe('localhost')
        const response = await app.request(at.pathname)
        expect([at.pathname, response.status]).toEqual([at.pathname, 200])
        expect(response.headers.get('content-type')).toMatch(/^text\/(css|javascript); charset=utf-8$/)
        const text = await response.text()
        expect(text.length).toBeGreaterThan(100)
        if (!at.pathname.endsWith('.css')) continue
        const inside = [...text.matchAll(/(?:@import|url\()\s*["']?([^"')\s]{0,20})/g)].map(([, start = '']) => start)
        expect(inside.filter((start) => !start.startsWith('data:'))).toEqual([])
      }
      const script = new URL(urls.at(-1) ?? '', `http://localhost${path}`)
      const document = await app.request(new URL('../openapi.json', script).pathname)
      expect(document.status).toBe(200)
    },
  )

  it('has a policy by which a browser loads nothing else, nor any script or style in the page', async () => {
    const { headers, html } = await page(createApp(agent), '/docs')
    const policy = headers.get('content-security-policy') ?? ''
    expect(policy).toMatch(/^default-src 'none'; script-src 'self'; style-src 'self'; /)
    expect(policy).not.toMatch(/unsafe|https?:|\*/)
    expect(html).not.toMatch(/<script>|<style|style=|\son\w+=/)
    expect(headers.get('content-type')).toBe('text/html; charset=utf-8')
  })

  it('starts without the validator on the internet that Swagger UI would use', async () => {
    expect(await (await createApp(agent).request('/docs/start.js')).text()).toContain('validatorUrl: null')
  })

  it('escapes the name of the agent', async () => {
    const { html } = await page(createApp(agent), '/docs')
    expect(html).toContain('<title>Notes &#60;b&#62;: API</title>')
  })

  it.each([
    ['gzip, br', 'gzip'],
    ['', null],
    ['identity', null],
    ['gzip;q=0', null],
    ['gzip;q=0.5', 'gzip'],
  ])('sends files compressed to a client that accepts it (%s)', async (accept, encoding) => {
    const headers = { 'accept-encoding': accept }
    const response = await createApp(agent).request('/docs/swagger-ui.css', { headers })
    expect(response.headers.get('content-encoding')).toBe(encoding)
    const bytes = new Uint8Array(await response.arrayBuffer())
    expect([bytes[0], bytes[1]].join() === '31,139').toBe(encoding === 'gzip')
  })

  it.each(['x.js', 'swagger-ui.css.map', '..%2f..%2fpackage.json', '__proto__', '%00', 'start.js%2f', 'a/b'])(
    'is 404 for the file %s',
    async (file) => {
      await expectProblem(await createApp(agent).request(`/docs/${file}`), 404, 'not-found')
    },
  )

  it('is absent with `docs: false`, as is the description', async () => {
    const app = createApp(agent, { docs: false })
    for (const path of ['/docs', '/docs/start.js', '/openapi.json']) {
      await expectProblem(await app.request(path), 404, 'not-found')
    }
  })

  it('needs a token where other routes do', async () => {
    const app = createApp(agent, { auth: { tokens } })
    for (const path of ['/docs', '/docs/start.js', '/openapi.json']) {
      await expectProblem(await app.request(path), 401, 'unauthorized')
      expect((await app.request(path, { headers: bearer })).status).toBe(200)
    }
  })
})
