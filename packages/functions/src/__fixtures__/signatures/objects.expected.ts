import { type Expected, object } from './expected.ts'

export const objects: Expected[] = [
  {
    name: 'createUser',
    description: 'Creates an account.',
    inputSchema: object({
      user: {
        ...object({
          name: { type: 'string', description: 'First and last name.' },
          email: { type: 'string', format: 'email', description: 'Where mail goes.' },
          'age?': { type: 'integer', minimum: 13, description: 'In whole years.' },
          roles: { type: 'array', items: { type: 'string', enum: ['reader', 'writer'] } },
        }),
        description: 'Somebody who is to have an account.',
      },
    }),
    parameters: ['user'],
    calls: [
      [
        { user: { name: 'Ada', email: 'ada@example.com', age: 36, roles: ['writer'] } },
        [{ name: 'Ada', email: 'ada@example.com', age: 36, roles: ['writer'] }],
      ],
      [
        { user: { name: 'Ada', email: 'ada@example.com', roles: [] } },
        [{ name: 'Ada', email: 'ada@example.com', roles: [] }],
      ],
    ],
    refuses: [
      { user: { name: 'Ada', roles: [] } },
      { user: { name: 'Ada', email: 'ada@example.com', roles: [], admin: true } },
      { user: { name: 'Ada', email: 'ada@example.com', roles: ['owner'] } },
      { user: { name: 'Ada', email: 'ada@example.com', roles: [], age: 13.5 } },
    ],
  },
  {
    name: 'placeOrder',
    description: 'Places an order.',
    inputSchema: object({
      order: {
        ...object({
          items: {
            type: 'array',
            items: object({
              sku: { type: 'string' },
              quantity: { type: 'number', description: 'How many of them.' },
            }),
            description: 'The lines of the order.',
          },
          shipTo: {
            ...object({
              street: { type: 'string' },
              city: { type: 'string', description: 'The city, in English.' },
              'postal-code': { type: 'string' },
            }),
            description: 'Where it goes.',
          },
          'note?': { type: ['string', 'null'], description: 'Printed on the parcel.' },
        }),
        description: 'What to buy.',
      },
    }),
    parameters: ['order'],
    calls: [
      [
        {
          order: {
            items: [{ sku: 'a-1', quantity: 2 }],
            shipTo: { street: 'Main Street 1', city: 'Oslo', 'postal-code': '0150' },
            note: null,
          },
        },
        [
          {
            items: [{ sku: 'a-1', quantity: 2 }],
            shipTo: { street: 'Main Street 1', city: 'Oslo', 'postal-code': '0150' },
            note: null,
          },
        ],
      ],
    ],
    refuses: [{ order: { items: [], shipTo: { street: 'Main Street 1', city: 'Oslo' } } }],
  },
  {
    name: 'assignOffice',
    description: 'Gives somebody an office.',
    inputSchema: object({
      employee: {
        ...object({
          name: { type: 'string' },
          since: { type: 'number', description: 'Since when, as a year.' },
        }),
        description: 'Who gets it.',
      },
      place: {
        ...object({ building: { type: 'string' }, floor: { type: 'number' } }),
        description: 'Where it is.',
      },
    }),
    parameters: ['employee', 'place'],
    calls: [
      [
        { employee: { name: 'Ada', since: 1843 }, place: { building: 'A', floor: 2 } },
        [
          { name: 'Ada', since: 1843 },
          { building: 'A', floor: 2 },
        ],
      ],
    ],
    refuses: [{ employee: { name: 'Ada', since: 1843 }, place: { building: 'A' } }],
  },
  {
    name: 'publishTexts',
    description: 'Publishes translations of a text.',
    inputSchema: object({
      texts: {
        type: 'object',
        additionalProperties: { type: 'string' },
        description: 'By language, such as "en".',
      },
      settings: {
        type: 'object',
        additionalProperties: object({ visible: { type: 'boolean' } }),
        description: 'For each reader group.',
      },
    }),
    parameters: ['texts', 'settings'],
    calls: [
      [{ texts: { en: 'Hello', de: 'Hallo' }, settings: {} }, [{ en: 'Hello', de: 'Hallo' }, {}]],
      [{ texts: {}, settings: { staff: { visible: true } } }, [{}, { staff: { visible: true } }]],
    ],
    refuses: [
      { texts: { en: 1 }, settings: {} },
      { texts: {}, settings: { staff: {} } },
    ],
  },
  {
    name: 'replaceCategories',
    description: "Replaces the catalogue's categories.",
    inputSchema: {
      ...object({ root: { $ref: '#/$defs/Category', description: 'The topmost category.' } }),
      $defs: {
        Category: object({
          name: { type: 'string' },
          'children?': { type: 'array', items: { $ref: '#/$defs/Category' } },
        }),
      },
    },
    parameters: ['root'],
    calls: [
      [
        { root: { name: 'all', children: [{ name: 'books', children: [{ name: 'novels' }] }] } },
        [{ name: 'all', children: [{ name: 'books', children: [{ name: 'novels' }] }] }],
      ],
    ],
    refuses: [{ root: { name: 'all', children: [{ children: [] }] } }],
  },
  {
    name: 'searchArchive',
    description: 'Searches the archive.',
    inputSchema: {
      ...object({
        filter: { $ref: '#/$defs/Filter', description: 'What the entries must fulfil.' },
        'limit?': { type: 'number', description: 'How many to return at most.' },
      }),
      $defs: {
        Filter: {
          anyOf: [
            object({ all: { type: 'array', items: { $ref: '#/$defs/Filter' } } }),
            object({ not: { $ref: '#/$defs/Filter' } }),
            object({ field: { type: 'string' }, equals: { anyOf: [{ type: 'string' }, { type: 'number' }] } }),
          ],
        },
      },
    },
    parameters: ['filter', 'limit'],
    calls: [
      [
        { filter: { all: [{ not: { field: 'year', equals: 1843 } }] }, limit: 5 },
        [{ all: [{ not: { field: 'year', equals: 1843 } }] }, 5],
      ],
      [{ filter: { all: [] } }, [{ all: [] }, undefined]],
    ],
    refuses: [{ filter: { all: [{ not: {} }] } }],
  },
  {
    name: 'archiveFolders',
    description: 'Moves folders to the archive.',
    inputSchema: {
      ...object({
        folders: { type: 'array', items: { $ref: '#/$defs/Folder' }, description: 'What to move.' },
      }),
      $defs: {
        Folder: object({
          label: { type: 'string' },
          files: {
            type: 'array',
            items: object({
              title: { type: 'string' },
              'movedFrom?': { $ref: '#/$defs/Folder', description: 'The folder that it was moved from.' },
            }),
          },
        }),
      },
    },
    parameters: ['folders'],
    calls: [
      [
        { folders: [{ label: 'a', files: [{ title: 'b', movedFrom: { label: 'c', files: [] } }] }] },
        [[{ label: 'a', files: [{ title: 'b', movedFrom: { label: 'c', files: [] } }] }]],
      ],
    ],
    refuses: [{ folders: [{ label: 'a', files: [{ title: 'b', movedFrom: { label: 'c' } }] }] }],
  },
  {
    name: 'rememberFact',
    description: 'Remembers a fact about the user.',
    inputSchema: object({
      fact: object({
        subject: { type: 'string', description: 'Whom or what it is about.' },
        statement: { type: 'string', description: 'What is true of it.' },
        'confidence?': {
          type: 'number',
          minimum: 0,
          maximum: 1,
          default: 0.5,
          title: 'Confidence',
          examples: [0.2, 0.9],
          description: 'How sure that is.',
        },
      }),
    }),
    parameters: ['fact'],
    calls: [[{ fact: { subject: 'Ada', statement: 'likes tea' } }, [{ subject: 'Ada', statement: 'likes tea' }]]],
    refuses: [{ fact: { subject: 'Ada', statement: 'likes tea', confidence: 2 } }],
  },
  {
    name: 'planWork',
    description: 'Plans a piece of work.',
    inputSchema: {
      ...object({ first: { $ref: '#/$defs/Step', description: 'What to begin with.' } }),
      $defs: {
        Step: object({ task: { type: 'string' }, then: { type: 'array', items: { $ref: '#/$defs/Step' } } }),
      },
    },
    parameters: ['first'],
    calls: [
      [{ first: { task: 'a', then: [{ task: 'b', then: [] }] } }, [{ task: 'a', then: [{ task: 'b', then: [] }] }]],
    ],
    refuses: [{ first: { task: 'a' } }],
  },
]
