import { type Expected, object } from './expected.ts'

const point = {
  type: 'array',
  prefixItems: [{ type: 'number' }, { type: 'number' }],
  items: false,
  minItems: 2,
  maxItems: 2,
}

export const destructuredAndRest: Expected[] = [
  {
    name: 'forecast',
    description: 'Forecasts the weather.',
    inputSchema: object({
      city: { type: 'string', description: 'The city, with its country.' },
      'days?': { type: 'number', default: 3, description: 'How many days ahead.' },
    }),
    parameters: ['*'],
    takesApart: ['*'],
    calls: [
      [{ city: 'Oslo' }, [{ city: 'Oslo', days: 3 }]],
      [{ city: 'Oslo', days: 1 }, [{ city: 'Oslo', days: 1 }]],
    ],
    refuses: [{}, { city: 'Oslo', options: {} }],
  },
  {
    name: 'bookTable',
    description: 'Books a table.',
    inputSchema: object({
      restaurant: { type: 'string', description: 'The name of the restaurant.' },
      guests: { type: 'integer', description: 'How many people, children too.' },
      at: { type: 'string', format: 'date-time', description: 'When they come.' },
      'wishes?': { type: 'array', items: { type: 'string' } },
    }),
    parameters: ['*'],
    calls: [
      [
        { restaurant: 'Sult', guests: 2, at: '2026-03-01T19:00:00Z' },
        [{ restaurant: 'Sult', guests: 2, at: new Date('2026-03-01T19:00:00Z') }],
      ],
      [
        { restaurant: 'Sult', guests: 2, at: '2026-03-01T19:00:00Z', wishes: ['window'] },
        [{ restaurant: 'Sult', guests: 2, at: new Date('2026-03-01T19:00:00Z'), wishes: ['window'] }],
      ],
    ],
    refuses: [{ restaurant: 'Sult', guests: 2.5, at: '2026-03-01T19:00:00Z' }],
  },
  {
    name: 'listCustomers',
    description: 'Lists the customers.',
    inputSchema: object({
      'cursor?': { type: 'string', description: 'Begin with this one.' },
      'limit?': { type: 'number', default: 20 },
    }),
    parameters: ['*'],
    takesApart: ['*'],
    calls: [
      [{}, [{ cursor: undefined, limit: 20 }]],
      [{ cursor: 'c', limit: 5 }, [{ cursor: 'c', limit: 5 }]],
    ],
    refuses: [{ limit: 'all' }],
  },
  {
    name: 'writeText',
    description: 'Writes onto the board.',
    inputSchema: object({
      text: { type: 'string', description: 'What to write.' },
      options: object({ 'bold?': { type: 'boolean', default: false }, size: { type: 'number' } }),
    }),
    parameters: ['text', 'options'],
    takesApart: ['options'],
    calls: [[{ text: 'hi', options: { size: 12 } }, ['hi', { bold: false, size: 12 }]]],
    refuses: [{ text: 'hi' }, { text: 'hi', size: 12 }],
  },
  {
    name: 'drawLine',
    description: 'Draws a line.',
    inputSchema: object({
      from: { ...point, description: 'Where it begins.' },
      to: { ...point, description: 'Where it ends.' },
      'style?': {
        ...object({
          width: { type: 'number', description: 'In pixels.' },
          'color?': { type: 'string', default: 'black' },
        }),
        default: { width: 1 },
        description: 'How it looks.',
      },
    }),
    parameters: ['from', 'to', 'style'],
    takesApart: ['style'],
    calls: [
      [{ from: [0, 0], to: [1, 1] }, [[0, 0], [1, 1], { width: 1, color: 'black' }]],
      [{ from: [0, 0], to: [1, 1], style: { width: 2, color: 'red' } }, [[0, 0], [1, 1], { width: 2, color: 'red' }]],
    ],
    refuses: [{ from: [0], to: [1, 1] }],
  },
  {
    name: 'greet',
    description: 'Greets somebody by name.',
    inputSchema: object({
      person: object({
        name: object({ first: { type: 'string' }, last: { type: 'string' } }),
        'title?': { type: 'string', default: 'Dr.' },
      }),
    }),
    parameters: ['*'],
    takesApart: ['*'],
    calls: [
      [
        { person: { name: { first: 'Ada', last: 'Lovelace' } } },
        [{ person: { name: { first: 'Ada', last: 'Lovelace' }, title: 'Dr.' } }],
      ],
    ],
    refuses: [{ person: { name: { first: 'Ada' } } }],
  },
  {
    name: 'deleteFiles',
    description: 'Deletes files.',
    inputSchema: object({
      'paths?': { type: 'array', items: { type: 'string' }, description: 'Which ones.' },
    }),
    parameters: ['...paths'],
    calls: [
      [{ paths: ['a', 'b'] }, ['a', 'b']],
      [{ paths: [] }, []],
    ],
    refuses: [{ paths: 'a' }, { paths: [1] }],
  },
  {
    name: 'logLines',
    description: 'Writes lines to a log.',
    inputSchema: object({
      level: { type: 'string', enum: ['info', 'error'], description: 'How important they are.' },
      'channel?': { type: 'string', description: 'Where they go.' },
      'lines?': { type: 'array', items: { type: 'string' }, description: 'What to write.' },
    }),
    parameters: ['level', 'channel', '...lines'],
    calls: [
      [{ level: 'info', lines: ['a', 'b'] }, ['info', undefined, 'a', 'b']],
      [{ level: 'info', channel: 'ops', lines: ['a'] }, ['info', 'ops', 'a']],
    ],
    refuses: [{ level: 'debug', lines: [] }],
  },
  {
    name: 'markPoint',
    description: 'Marks a point on the map.',
    inputSchema: object({
      label: { type: 'string', description: 'Its name.' },
      point: { ...point, description: 'Where it is.' },
    }),
    parameters: ['label', '...point'],
    calls: [[{ label: 'home', point: [60, 5] }, ['home', 60, 5]]],
    refuses: [{ label: 'home', point: [60] }, { label: 'home' }],
  },
]
