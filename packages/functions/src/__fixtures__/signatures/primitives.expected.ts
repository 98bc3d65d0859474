import { type Expected, object } from './expected.ts'

export const primitives: Expected[] = [
  {
    name: 'convertCurrency',
    description: `Converts an amount of money from one currency to another at today's rate.

      Returns: The converted amount, rounded to cents.`,
    inputSchema: object({
      amount: { type: 'number', description: 'The amount to convert.' },
      from: { type: 'string', description: 'The currency of the amount, as an ISO 4217 code.' },
      to: { type: 'string', description: 'The currency to convert to, as an ISO 4217 code.' },
    }),
    parameters: ['amount', 'from', 'to'],
    calls: [
      [{ amount: 12.5, from: 'EUR', to: 'USD' }, [12.5, 'EUR', 'USD']],
      [{ to: 'USD', from: 'EUR', amount: 0 }, [0, 'EUR', 'USD']],
    ],
    refuses: [{}, { amount: '12.5', from: 'EUR', to: 'USD' }, { amount: 1, from: 'EUR', to: 'USD', date: 'today' }],
  },
  {
    name: 'switchLamp',
    description: 'Switches a lamp on or off.',
    inputSchema: object({
      lamp: { type: 'string', description: 'The name of the lamp, as `listLamps` gives it.' },
      on: { type: 'boolean', description: 'Whether it is to burn.' },
    }),
    parameters: ['lamp', 'on'],
    calls: [[{ lamp: 'desk', on: false }, ['desk', false]]],
    refuses: [{ lamp: 'desk', on: 'false' }, { lamp: 'desk' }],
  },
  {
    name: 'listDevices',
    description: 'Says which devices are connected right now.',
    inputSchema: object({}),
    parameters: [],
    calls: [[{}, []]],
    refuses: [{ all: true }],
  },
  {
    name: 'rollDice',
    description: 'Rolls dice and adds them up.\n\nReturns: The sum.',
    inputSchema: object({
      count: { type: 'integer', minimum: 1, maximum: 100, description: 'How many dice to roll.' },
      sides: { type: 'integer', minimum: 2, description: 'How many sides each of them has.' },
    }),
    parameters: ['count', 'sides'],
    calls: [[{ count: 2, sides: 6 }, [2, 6]]],
    refuses: [
      { count: 0, sides: 6 },
      { count: 101, sides: 6 },
      { count: 2.5, sides: 6 },
      { count: 2, sides: 1 },
    ],
  },
  {
    name: 'openPort',
    description: 'Opens a port of this machine to the local network.',
    inputSchema: object({
      port: { type: 'integer', minimum: 1, maximum: 65535, description: 'The port to open.' },
      minutes: { type: 'number', description: 'How long it stays open, in minutes.' },
      connections: { type: 'integer' },
    }),
    parameters: ['port', 'minutes', 'connections'],
    calls: [[{ port: 8080, minutes: 0.5, connections: 3 }, [8080, 0.5, 3]]],
    refuses: [
      { port: 0, minutes: 5, connections: 1 },
      { port: 80, minutes: 5, connections: 1.5 },
    ],
  },
  {
    name: 'forwardPort',
    description: 'Forwards a local port to a remote one.',
    inputSchema: object({
      local: { type: 'integer', description: 'The port on this machine.' },
      remote: { type: 'integer', description: 'The port on the other machine.' },
      attempts: { type: 'integer', description: 'How often to try.' },
    }),
    parameters: ['local', 'remote', 'attempts'],
    calls: [[{ local: 5432, remote: 15432, attempts: 1 }, [5432, 15432, 1]]],
    refuses: [
      { local: 1.5, remote: 1, attempts: 1 },
      { local: 1, remote: 1.5, attempts: 1 },
      { local: 1, remote: 1, attempts: 1.5 },
    ],
  },
  {
    name: 'inviteMember',
    description: 'Invites somebody to the workspace.',
    inputSchema: object({
      email: { type: 'string', format: 'email', description: 'Where the invitation goes.' },
      code: { type: 'string', pattern: '^[A-Z]{3}-[0-9]{4}$', description: 'The code of the team.' },
      greeting: { type: 'string', minLength: 1, maxLength: 200, description: 'A few words of welcome.' },
    }),
    parameters: ['email', 'code', 'greeting'],
    calls: [
      [
        { email: 'ada@example.com', code: 'ABC-0042', greeting: 'Welcome!' },
        ['ada@example.com', 'ABC-0042', 'Welcome!'],
      ],
    ],
    refuses: [
      { email: 'ada@example.com', code: 'abc-0042', greeting: 'Welcome!' },
      { email: 'ada@example.com', code: 'ABC-0042', greeting: '' },
    ],
  },
  {
    name: 'refund',
    description: 'Pays out a refund.',
    inputSchema: object({
      amount: {
        type: 'number',
        exclusiveMinimum: 0,
        exclusiveMaximum: 10000,
        multipleOf: 0.5,
        description: 'In euros.',
      },
      reference: { type: 'integer', description: 'The number of the order.' },
    }),
    parameters: ['amount', 'reference'],
    calls: [[{ amount: 19.5, reference: 7 }, [19.5, 7]]],
    refuses: [
      { amount: 0, reference: 7 },
      { amount: 10000, reference: 7 },
      { amount: 0.3, reference: 7 },
      { amount: 1, reference: 0.5 },
    ],
  },
  {
    name: 'tagPhoto',
    description: 'Tags a photo, replacing the tags that it has.',
    inputSchema: object({
      photoId: { type: 'string', description: 'The id of the photo.' },
      tags: {
        type: 'array',
        items: { type: 'string' },
        minItems: 1,
        maxItems: 5,
        uniqueItems: true,
        description: 'The new tags.',
      },
      ratings: { type: 'array', items: { type: 'number' }, description: 'One from each reviewer.' },
    }),
    parameters: ['photoId', 'tags', 'ratings'],
    calls: [[{ photoId: 'p1', tags: ['sea', 'sky'], ratings: [] }, ['p1', ['sea', 'sky'], []]]],
    refuses: [
      { photoId: 'p1', tags: [], ratings: [] },
      { photoId: 'p1', tags: ['sea', 'sea'], ratings: [] },
      { photoId: 'p1', tags: 'sea', ratings: [] },
    ],
  },
  {
    name: 'multiplyMatrices',
    description: 'Multiplies two matrices.',
    inputSchema: object({
      left: {
        type: 'array',
        items: { type: 'array', items: { type: 'number' } },
        description: 'The rows of the left matrix.',
      },
      right: {
        type: 'array',
        items: { type: 'array', items: { type: 'number' } },
        description: 'The rows of the right matrix.',
      },
    }),
    parameters: ['left', 'right'],
    calls: [[{ left: [[1, 2]], right: [[3], [4]] }, [[[1, 2]], [[3], [4]]]]],
    refuses: [{ left: [1, 2], right: [] }],
  },
  {
    name: 'assignPorts',
    description: 'Assigns the ports of a machine.',
    inputSchema: object({
      main: {
        type: ['integer', 'null'],
        description: 'The port of the main service; null takes it off the net.',
      },
      others: { type: 'object', additionalProperties: { type: 'integer' }, description: 'By service.' },
    }),
    parameters: ['main', 'others'],
    calls: [[{ main: null, others: { mail: 25 } }, [null, { mail: 25 }]]],
    refuses: [
      { main: 1.5, others: {} },
      { main: 1, others: { mail: 2.5 } },
    ],
  },
]
