import { type Expected, object } from './expected.ts'

export const javascript: Expected[] = [
  {
    name: 'forecastDays',
    description: 'Forecasts the weather.\n\nReturns: One line for each day.',
    inputSchema: object({
      city: { type: 'string', description: 'The city, with its country.' },
      'days?': { type: 'number', default: 3, description: 'How many days ahead.' },
    }),
    parameters: ['city', 'days'],
    calls: [[{ city: 'Oslo' }, ['Oslo', 3]]],
    refuses: [{ city: 'Oslo', days: '3' }],
  },
  {
    name: 'sortTable',
    description: 'Sorts a table.',
    inputSchema: object({
      columns: {
        type: 'array',
        items: { type: 'string' },
        description: 'The columns, the most important one first.',
      },
      direction: { type: 'string', enum: ['up', 'down'], description: 'Which way.' },
      group: { type: ['string', 'null'], description: 'What to group by, if anything.' },
    }),
    parameters: ['columns', 'direction', 'group'],
    calls: [[{ columns: ['name'], direction: 'up', group: null }, [['name'], 'up', null]]],
    refuses: [{ columns: ['name'], direction: 'left', group: null }],
  },
  {
    name: 'sendGift',
    description: 'Sends a gift.',
    inputSchema: object({
      recipient: {
        ...object({
          name: { type: 'string', description: 'First and last name.' },
          'city?': { type: 'string', description: 'Where they live.' },
        }),
        description: 'Who gets something.',
      },
      pieces: { type: 'integer', description: 'How many.' },
    }),
    parameters: ['recipient', 'pieces'],
    calls: [[{ recipient: { name: 'Ada' }, pieces: 1 }, [{ name: 'Ada' }, 1]]],
    refuses: [{ recipient: { name: 'Ada' }, pieces: 1.5 }],
  },
  {
    name: 'listBooks',
    description: 'Lists the books of a shelf.',
    inputSchema: object({
      options: {
        ...object({
          limit: { type: 'number', description: 'How many at most.' },
          'author?': { type: 'string', description: 'Only those of this author.' },
        }),
        description: 'How to list them.',
      },
    }),
    parameters: ['options'],
    calls: [[{ options: { limit: 5 } }, [{ limit: 5 }]]],
    refuses: [{ options: {} }],
  },
  {
    name: 'invite',
    description: 'Invites people.',
    inputSchema: object({
      at: { type: 'string', format: 'date-time', description: 'When they come.' },
      'names?': { type: 'array', items: { type: 'string' }, description: 'Who is to come.' },
    }),
    parameters: ['at', '...names'],
    calls: [
      [{ at: '2026-03-01T19:00:00Z', names: ['Ada', 'Grace'] }, [new Date('2026-03-01T19:00:00Z'), 'Ada', 'Grace']],
    ],
  },
  {
    name: 'addVotes',
    description: 'Adds up votes.',
    inputSchema: object({
      votes: {
        type: 'object',
        additionalProperties: { type: 'number' },
        description: 'How many there are of each kind.',
      },
      'valid?': { type: 'boolean', description: 'Whether they count.' },
    }),
    parameters: ['votes', 'valid'],
    calls: [[{ votes: { yes: 2 } }, [{ yes: 2 }, undefined]]],
  },
  {
    name: 'countVotes',
    description: 'Counts votes.',
    inputSchema: object({
      votes: { type: 'object', additionalProperties: { type: 'number' } },
      valid: { type: 'boolean' },
    }),
    parameters: ['votes', 'valid'],
    calls: [[{ votes: { yes: 2 }, valid: true }, [{ yes: 2 }, true]]],
    refuses: [{ votes: { yes: 'two' }, valid: true }],
  },
  {
    name: 'printLabel',
    description: 'Prints a label.',
    inputSchema: object({
      address: {
        ...object({
          name: { type: 'string', description: 'First and last name.' },
          lines: { type: 'array', items: { type: 'string' } },
          country: { type: 'string', enum: ['no', 'se', 'dk'] },
        }),
        description: 'What to print.',
      },
      style: {
        ...object({ 'bold?': { type: 'boolean', default: true }, size: { type: 'number', enum: [1, 2] } }),
        description: 'How to print it.',
      },
    }),
    parameters: ['address', 'style'],
    takesApart: ['style'],
    calls: [
      [
        { address: { name: 'Ada', lines: [], country: 'no' }, style: { size: 2 } },
        [
          { name: 'Ada', lines: [], country: 'no' },
          { bold: true, size: 2 },
        ],
      ],
    ],
  },
  {
    name: 'addArticle',
    description: 'Adds an article to the bill.',
    inputSchema: object({
      article: { type: 'string', description: 'Its name.' },
      price: { type: 'number', minimum: 0, description: 'In euros.' },
    }),
    parameters: ['article', 'price'],
    find: (module) => (module as { Till: { prototype: { addArticle: unknown } } }).Till.prototype.addArticle,
    calls: [[{ article: 'tea', price: 4 }, ['tea', 4]]],
    refuses: [{ article: 'tea', price: -4 }],
  },
  {
    name: 'store',
    description: 'Stores anything.',
    inputSchema: object({ value: { description: 'Any JSON; kept as it is.' } }),
    parameters: ['value'],
    calls: [[{ value: [1, { a: null }] }, [[1, { a: null }]]]],
    refuses: [{}],
  },
  {
    name: 'logEvent',
    description: 'Logs an event.',
    inputSchema: object({
      event: { type: 'object', description: 'What happened, as it came.' },
      counts: { type: 'object', additionalProperties: { type: 'number' }, description: 'How often, by place.' },
      'level?': { type: 'string', description: 'How important it is.' },
    }),
    parameters: ['event', 'counts', 'level'],
    alsoSays: { after: ['ada'] },
    calls: [[{ event: { a: [1] }, counts: { b: 2 } }, [{ a: [1] }, { b: 2 }, undefined, 'ada']]],
    refuses: [{ event: {}, counts: { b: 'two' } }],
  },
]
