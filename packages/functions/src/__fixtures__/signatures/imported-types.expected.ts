import { type Expected, object } from './expected.ts'

const country = { type: 'string', enum: ['no', 'se', 'dk'] }

export const importedTypes: Expected[] = [
  {
    name: 'sendLetter',
    description: 'Sends a letter.',
    inputSchema: object({
      to: {
        ...object({
          name: { type: 'string', description: 'First and last name.' },
          lines: { type: 'array', items: { type: 'string' } },
          country,
        }),
        description: 'Whom it goes to.',
      },
      from: {
        ...object({ company: { type: 'string' }, 'since?': { type: 'string', format: 'date-time' } }),
        description: 'Whom it comes from.',
      },
      express: { type: 'array', items: country, description: 'Countries that it passes by plane.' },
    }),
    parameters: ['to', 'from', 'express'],
    calls: [
      [
        {
          to: { name: 'Ada', lines: ['Main Street 1'], country: 'no' },
          from: { company: 'Acme', since: '1999-01-01T00:00:00Z' },
          express: ['se'],
        },
        [
          { name: 'Ada', lines: ['Main Street 1'], country: 'no' },
          { company: 'Acme', since: new Date('1999-01-01T00:00:00Z') },
          ['se'],
        ],
      ],
    ],
    refuses: [{ to: { name: 'Ada', lines: [], country: 'uk' }, from: { company: 'Acme' }, express: [] }],
  },
  {
    name: 'sendParcel',
    description: 'Sends a parcel.',
    inputSchema: object({
      parcel: {
        ...object({
          weight: { type: 'integer', minimum: 1, description: 'A weight in grams.' },
          content: object({ fragile: { type: 'boolean' } }),
        }),
        description: 'What to send.',
      },
      weight: { type: 'integer', minimum: 1, description: 'With its box.' },
      to: country,
    }),
    parameters: ['parcel', 'weight', 'to'],
    calls: [
      [
        { parcel: { weight: 500, content: { fragile: true } }, weight: 600, to: 'dk' },
        [{ weight: 500, content: { fragile: true } }, 600, 'dk'],
      ],
    ],
    refuses: [{ parcel: { weight: 0, content: { fragile: true } }, weight: 600, to: 'dk' }],
  },
  {
    name: 'trackParcel',
    description: 'Says where a parcel is.',
    inputSchema: object({ id: { type: 'string', description: 'The number on the parcel.' } }),
    parameters: ['id'],
    alsoSays: { after: ['session-1'] },
    calls: [[{ id: '7' }, ['7', 'session-1']]],
    refuses: [{ id: '7', context: null }],
  },
  {
    name: 'whoAmI',
    description: 'Says who is asking.',
    inputSchema: object({}),
    parameters: [],
    alsoSays: { after: ['ada'] },
    calls: [[{}, ['ada']]],
  },
]
