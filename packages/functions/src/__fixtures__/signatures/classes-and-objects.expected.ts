import type { Heater } from './classes-and-objects.ts'
import { type Expected, object } from './expected.ts'

type Module = typeof import('./classes-and-objects.ts')
const heaterOf = (module: unknown): Heater => new (module as Module).Heater('hall')

export const classesAndObjects: Expected[] = [
  {
    name: 'setTemperature',
    description: 'Sets the temperature of the room.',
    inputSchema: object({
      degrees: { type: 'number', description: 'The temperature.' },
      'unit?': {
        type: 'string',
        enum: ['celsius', 'fahrenheit'],
        default: 'celsius',
        description: 'What the degrees are.',
      },
    }),
    parameters: ['degrees', 'unit'],
    methodOf: 'Heater',
    find: (module) => heaterOf(module).setTemperature,
    boundTo: heaterOf,
    alsoSays: { before: ['hall'] },
    calls: [[{ degrees: 21 }, ['hall', 21, 'celsius']]],
    refuses: [{ degrees: 21, unit: 'kelvin' }],
  },
  {
    name: 'inBuilding',
    description: 'Lists the heaters of a building.',
    inputSchema: object({ building: { type: 'string', description: 'The name of the building.' } }),
    parameters: ['building'],
    find: (module) => (module as Module).Heater.inBuilding,
    calls: [[{ building: 'B' }, ['B']]],
  },
  {
    name: 'report',
    description: 'Says how the heater does.',
    inputSchema: object({ detail: { type: 'string', enum: ['short', 'full'], description: 'How much to tell.' } }),
    parameters: ['detail'],
    find: (module) => heaterOf(module).report,
    alsoSays: { before: ['hall'] },
    calls: [[{ detail: 'full' }, ['hall', 'full']]],
  },
  {
    name: 'addNote',
    description: 'Adds a note.',
    inputSchema: object({ text: { type: 'string', description: 'What to note.' } }),
    parameters: ['text'],
    find: (module) => (module as Module).notebook.addNote,
    calls: [[{ text: 'milk' }, ['milk']]],
  },
  {
    name: 'findNotes',
    description: 'Finds notes.',
    inputSchema: object({
      words: { type: 'array', items: { type: 'string' }, description: 'What they must contain.' },
    }),
    parameters: ['words'],
    find: (module) => (module as Module).notebook.findNotes,
    calls: [[{ words: ['milk'] }, [['milk']]]],
  },
  {
    name: 'tellTime',
    description: 'Says what time it is somewhere.',
    inputSchema: object({ zone: { type: 'string', description: 'The time zone, such as Europe/Oslo.' } }),
    parameters: ['zone'],
    find: (module) => (module as Module).default,
    calls: [[{ zone: 'Europe/Oslo' }, ['Europe/Oslo']]],
  },
  {
    name: 'writeDown',
    description: 'Writes into the notebook of the room.',
    inputSchema: object({ text: { type: 'string', description: 'What to write.' } }),
    parameters: ['text'],
    boundTo: heaterOf,
    alsoSays: { before: ['hall'] },
    calls: [[{ text: 'cold' }, ['hall', 'cold']]],
  },
]

export const anonymousDefault: Expected[] = [
  {
    name: 'anonymousDefault',
    description: 'Says when the sun rises.',
    inputSchema: object({ city: { type: 'string', description: 'In which city.' } }),
    parameters: ['city'],
    find: (module) => (module as { default: unknown }).default,
    calls: [[{ city: 'Oslo' }, ['Oslo']]],
  },
]
