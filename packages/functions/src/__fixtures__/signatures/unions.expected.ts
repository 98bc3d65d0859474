import { type Expected, object } from './expected.ts'

export const unions: Expected[] = [
  {
    name: 'setThermostat',
    description: 'Sets what the thermostat does.',
    inputSchema: object({
      mode: { type: 'string', enum: ['heat', 'cool', 'off'], description: 'What it aims for.' },
      target: { type: 'number', description: 'The temperature in degrees Celsius.' },
    }),
    parameters: ['mode', 'target'],
    calls: [[{ mode: 'off', target: 0 }, ['off', 0]]],
    refuses: [{ mode: 'dry', target: 20 }],
  },
  {
    name: 'enlarge',
    description: 'Makes a larger copy of an image.',
    inputSchema: object({
      image: { type: 'string', description: 'The file name of the image.' },
      factor: { type: 'number', enum: [1, 2, 4], description: 'How many times larger.' },
    }),
    parameters: ['image', 'factor'],
    calls: [[{ image: 'cat.png', factor: 4 }, ['cat.png', 4]]],
    refuses: [
      { image: 'cat.png', factor: 3 },
      { image: 'cat.png', factor: '4' },
    ],
  },
  {
    name: 'deleteAccount',
    description: 'Deletes the account for good.',
    inputSchema: object({
      confirmation: { type: 'string', const: 'delete', description: 'The word that confirms it.' },
      version: { type: 'number', const: 2, description: 'The version of the terms that were agreed to.' },
    }),
    parameters: ['confirmation', 'version'],
    calls: [[{ confirmation: 'delete', version: 2 }, ['delete', 2]]],
    refuses: [{ confirmation: 'yes', version: 2 }],
  },
  {
    name: 'assignTicket',
    description: 'Assigns a ticket to somebody, or to nobody.',
    inputSchema: object({
      ticket: { type: 'integer', description: 'The number of the ticket.' },
      assignee: { type: ['string', 'null'], description: 'The user name of the person; null for nobody.' },
      priority: {
        type: ['string', 'null'],
        enum: ['low', 'normal', 'high', null],
        description: 'Null takes the priority away.',
      },
    }),
    parameters: ['ticket', 'assignee', 'priority'],
    calls: [
      [{ ticket: 7, assignee: 'ada', priority: 'high' }, [7, 'ada', 'high']],
      [{ ticket: 7, assignee: null, priority: null }, [7, null, null]],
    ],
    refuses: [{ ticket: 7, priority: 'low' }],
  },
  {
    name: 'findInvoice',
    description: 'Finds an invoice.',
    inputSchema: object({
      key: {
        anyOf: [{ type: 'string' }, { type: 'number' }],
        description: 'Its number, or the name of the customer.',
      },
      years: {
        anyOf: [{ type: 'number' }, { type: 'array', items: { type: 'number' } }],
        description: 'The year, or several.',
      },
    }),
    parameters: ['key', 'years'],
    calls: [
      [{ key: 'Lovelace', years: 1843 }, ['Lovelace', 1843]],
      [{ key: 12, years: [1842, 1843] }, [12, [1842, 1843]]],
    ],
    refuses: [{ key: true, years: 1843 }],
  },
  {
    name: 'setBrightness',
    description: 'Sets how bright the screen is.',
    inputSchema: object({
      brightness: {
        anyOf: [{ type: 'number' }, { type: 'string', const: 'auto' }, { type: 'boolean' }],
        description: 'A percentage, "auto" for what the sensor says, or whether it is on at all.',
      },
    }),
    parameters: ['brightness'],
    calls: [
      [{ brightness: 40 }, [40]],
      [{ brightness: 'auto' }, ['auto']],
      [{ brightness: false }, [false]],
    ],
    refuses: [{ brightness: 'full' }, { brightness: null }],
  },
  {
    name: 'raiseAlarm',
    description: 'Raises an alarm in the building.',
    inputSchema: object({
      severity: { type: 'string', enum: ['info', 'warning', 'critical'], description: 'How bad it is.' },
      level: { type: 'number', enum: [0, 1, 9], description: 'The floor that it is on.' },
    }),
    parameters: ['severity', 'level'],
    calls: [[{ severity: 'critical', level: 9 }, ['critical', 9]]],
    refuses: [
      { severity: 'Critical', level: 9 },
      { severity: 'critical', level: 2 },
    ],
  },
  {
    name: 'orderCoffee',
    description: 'Orders coffee.',
    inputSchema: object({
      roast: { type: 'string', enum: ['light', 'medium', 'dark'], description: 'How dark the beans are.' },
      size: { type: 'number', enum: [0.2, 0.4], description: 'In litres.' },
      name: {
        anyOf: [{ type: 'string', const: 'guest' }, { type: 'string' }],
        description: 'What to call out.',
      },
    }),
    parameters: ['roast', 'size', 'name'],
    calls: [[{ roast: 'dark', size: 0.2, name: 'Ada' }, ['dark', 0.2, 'Ada']]],
    refuses: [{ roast: 'dark', size: 0.3, name: 'guest' }],
  },
  {
    name: 'drawShape',
    description: 'Draws a shape onto the canvas.',
    inputSchema: object({
      shape: {
        anyOf: [
          object({
            kind: { type: 'string', const: 'circle' },
            radius: { type: 'number', description: 'In pixels.' },
          }),
          object({
            kind: { type: 'string', const: 'rectangle' },
            width: { type: 'number' },
            height: { type: 'number' },
          }),
        ],
        description: 'What to draw.',
      },
      next: {
        anyOf: [
          object({
            kind: { type: 'string', const: 'circle' },
            radius: { type: 'number', description: 'In pixels.' },
          }),
          { type: 'null' },
        ],
        description: 'What to draw after it, if anything.',
      },
    }),
    parameters: ['shape', 'next'],
    calls: [
      [
        { shape: { kind: 'rectangle', width: 2, height: 3 }, next: null },
        [{ kind: 'rectangle', width: 2, height: 3 }, null],
      ],
    ],
    refuses: [
      { shape: { kind: 'circle', width: 2, height: 3 }, next: null },
      { shape: { kind: 'circle', radius: 2, height: 3 }, next: null },
    ],
  },
  {
    name: 'planRoute',
    description: 'Plans a route.',
    inputSchema: object({
      stops: {
        type: 'array',
        items: {
          anyOf: [{ type: 'string' }, object({ latitude: { type: 'number' }, longitude: { type: 'number' } })],
        },
        description: 'Where to go: addresses, or coordinates.',
      },
    }),
    parameters: ['stops'],
    calls: [[{ stops: ['Oslo', { latitude: 60, longitude: 5 }] }, [['Oslo', { latitude: 60, longitude: 5 }]]]],
    refuses: [{ stops: [{ latitude: 60 }] }],
  },
  {
    name: 'sendMessage',
    description: 'Sends a message to a user or to a group.',
    inputSchema: object({
      to: {
        anyOf: [object({ user: { type: 'string' } }), object({ group: { type: 'number' } })],
        description: 'Which of them.',
      },
      urgent: { type: 'boolean', const: true, description: 'Only true is possible: others are sent by post.' },
    }),
    parameters: ['to', 'urgent'],
    calls: [[{ to: { group: 3 }, urgent: true }, [{ group: 3 }, true]]],
    refuses: [
      { to: { user: 'ada', group: 3 }, urgent: true },
      { to: { user: 'ada' }, urgent: false },
    ],
  },
]
