import { type Expected, object } from './expected.ts'

const dateTime = { type: 'string', format: 'date-time' }

export const datesAndRecords: Expected[] = [
  {
    name: 'listEvents',
    description: 'Lists the events of a calendar.',
    inputSchema: object({
      from: { ...dateTime, description: 'The earliest begin.' },
      'to?': { ...dateTime, description: 'The latest end; a day later when absent.' },
    }),
    parameters: ['from', 'to'],
    calls: [
      [{ from: '2026-03-01T09:00:00Z' }, [new Date('2026-03-01T09:00:00Z'), undefined]],
      [
        { from: '2026-03-01T09:00:00+02:00', to: '2026-03-02T00:00:00.250Z' },
        [new Date('2026-03-01T07:00:00Z'), new Date('2026-03-02T00:00:00.250Z')],
      ],
    ],
    refuses: [{ from: 'tomorrow' }, { from: 1740000000 }, {}],
  },
  {
    name: 'addMeetings',
    description: 'Adds meetings to the calendar.',
    inputSchema: object({
      meetings: {
        type: 'array',
        items: object({
          title: { type: 'string' },
          begin: { ...dateTime, description: 'When it begins.' },
          end: { type: ['string', 'null'], format: 'date-time' },
          reminders: { type: 'array', items: dateTime },
        }),
        description: 'What to add.',
      },
      holidays: { type: 'object', additionalProperties: dateTime, description: 'By name.' },
      span: {
        type: 'array',
        prefixItems: [dateTime, dateTime],
        items: false,
        minItems: 2,
        maxItems: 2,
        description: 'From when to when.',
      },
    }),
    parameters: ['meetings', 'holidays', 'span'],
    calls: [
      [
        {
          meetings: [
            { title: 'a', begin: '2026-03-01T09:00:00Z', end: null, reminders: ['2026-02-28T09:00:00Z'] },
            { title: 'b', begin: '2026-03-02T09:00:00Z', end: '2026-03-02T10:00:00Z', reminders: [] },
          ],
          holidays: { easter: '2026-04-05T00:00:00Z' },
          span: ['2026-01-01T00:00:00Z', '2027-01-01T00:00:00Z'],
        },
        [
          [
            {
              title: 'a',
              begin: new Date('2026-03-01T09:00:00Z'),
              end: null,
              reminders: [new Date('2026-02-28T09:00:00Z')],
            },
            {
              title: 'b',
              begin: new Date('2026-03-02T09:00:00Z'),
              end: new Date('2026-03-02T10:00:00Z'),
              reminders: [],
            },
          ],
          { easter: new Date('2026-04-05T00:00:00Z') },
          [new Date('2026-01-01T00:00:00Z'), new Date('2027-01-01T00:00:00Z')],
        ],
      ],
    ],
    refuses: [{ meetings: [], holidays: {}, span: ['2026-01-01T00:00:00Z'] }],
  },
  {
    name: 'setAlarm',
    description: 'Sets when the alarm rings.',
    inputSchema: object({
      at: { anyOf: [dateTime, { type: 'number' }], description: 'A time, or in how many seconds.' },
      label: { type: ['string', 'null'], description: 'What it is for.' },
    }),
    parameters: ['at', 'label'],
    calls: [
      [{ at: '2026-03-01T09:00:00Z', label: null }, [new Date('2026-03-01T09:00:00Z'), null]],
      [{ at: 90, label: 'tea' }, [90, 'tea']],
    ],
    refuses: [{ at: 'soon', label: 'tea' }],
  },
  {
    name: 'importLog',
    description: 'Imports a log.',
    inputSchema: object({
      since: { ...dateTime, description: 'The time of the first entry, kept as text.' },
      day: { type: 'string', format: 'date', description: 'The day of the import.' },
    }),
    parameters: ['since', 'day'],
    dates: [],
    calls: [[{ since: '2026-03-01T09:00:00Z', day: '2026-03-01' }, ['2026-03-01T09:00:00Z', '2026-03-01']]],
    refuses: [{ since: '2026-03-01T09:00:00Z', day: '1 March' }],
  },
  {
    name: 'storeStock',
    description: 'Stores the stock of a shop.',
    inputSchema: object({
      stock: {
        type: 'object',
        additionalProperties: { type: 'number' },
        description: 'How many there are, by article.',
      },
      shelves: {
        type: 'object',
        additionalProperties: { type: 'array', items: { type: 'string' } },
        description: 'Where they are, by article.',
      },
      prices: {
        type: 'object',
        additionalProperties: object({ eur: { type: 'number' }, usd: { type: 'number' } }),
        description: 'By article, then by currency.',
      },
    }),
    parameters: ['stock', 'shelves', 'prices'],
    calls: [
      [
        { stock: { tea: 3 }, shelves: { tea: ['A', 'B'] }, prices: { tea: { eur: 4, usd: 4.5 } } },
        [{ tea: 3 }, { tea: ['A', 'B'] }, { tea: { eur: 4, usd: 4.5 } }],
      ],
    ],
    refuses: [
      { stock: { tea: '3' }, shelves: {}, prices: {} },
      { stock: {}, shelves: {}, prices: { tea: { eur: 4 } } },
    ],
  },
  {
    name: 'moveMap',
    description: 'Moves the map.',
    inputSchema: object({
      center: {
        type: 'array',
        prefixItems: [{ type: 'number' }, { type: 'number' }],
        items: false,
        minItems: 2,
        maxItems: 2,
        description: 'Where its middle is.',
      },
      zoom: {
        type: 'array',
        prefixItems: [{ type: 'number' }, { type: 'number' }],
        items: false,
        minItems: 1,
        maxItems: 2,
        description: 'From where to where, if it changes.',
      },
      path: {
        type: 'array',
        prefixItems: [{ type: 'string' }],
        items: { type: 'number' },
        minItems: 1,
        description: 'What to show on the way: a name, then distances.',
      },
    }),
    parameters: ['center', 'zoom', 'path'],
    calls: [[{ center: [60, 5], zoom: [3], path: ['coast', 1, 2.5] }, [[60, 5], [3], ['coast', 1, 2.5]]]],
    refuses: [
      { center: [60], zoom: [3], path: ['coast'] },
      { center: [60, 5, 0], zoom: [3], path: ['coast'] },
      { center: [60, 5], zoom: [3], path: [1] },
    ],
  },
  {
    name: 'storeDocument',
    description: 'Stores a document as it is.',
    inputSchema: object({
      document: { description: 'Any JSON.' },
      labels: { type: 'object', additionalProperties: {}, description: 'What else is known of it.' },
      metadata: { type: 'object', description: 'An object of any shape.' },
    }),
    parameters: ['document', 'labels', 'metadata'],
    calls: [
      [
        { document: ['a', { b: null }], labels: { c: [1] }, metadata: { d: 'e' } },
        [['a', { b: null }], { c: [1] }, { d: 'e' }],
      ],
      [{ document: null, labels: {}, metadata: {} }, [null, {}, {}]],
    ],
    refuses: [
      { labels: {}, metadata: {} },
      { document: 1, labels: 'c', metadata: {} },
      { document: 1, labels: {}, metadata: 'd' },
    ],
  },
  {
    name: 'patchDocument',
    description: 'Patches a document.',
    inputSchema: {
      ...object({
        path: { type: 'array', items: { type: 'string' }, description: 'Where in it.' },
        value: { $ref: '#/$defs/Json', description: 'The new value.' },
      }),
      $defs: {
        Json: {
          anyOf: [
            { type: 'string' },
            { type: 'number' },
            { type: 'boolean' },
            { type: 'null' },
            { type: 'array', items: { $ref: '#/$defs/Json' } },
            { type: 'object', additionalProperties: { $ref: '#/$defs/Json' } },
          ],
        },
      },
    },
    parameters: ['path', 'value'],
    calls: [
      [{ path: ['a', 'b'], value: { c: [1, null, { d: true }] } }, [['a', 'b'], { c: [1, null, { d: true }] }]],
      [{ path: [], value: null }, [[], null]],
    ],
    refuses: [{ path: 'a', value: 1 }],
  },
]
