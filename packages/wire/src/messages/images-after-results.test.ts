import type { ImagePart, Message } from '@agentkit/core'
import { expect, it } from 'vitest'
import { imagesAfterResults } from './images-after-results.ts'

const image: ImagePart = { type: 'image', base64: 'iVBORw0KGgo=' }
const question: Message = { role: 'user', content: 'hi' }
const seen = (callId: string, ...images: ImagePart[]): Message => ({
  role: 'tool',
  callId,
  name: 'look',
  content: [{ type: 'text', text: `seen ${callId}` }, ...images],
})

it('moves the images of a turn after its last result, each after the name of its tool', () => {
  const heading = { type: 'text', text: 'Returned by the tool "look":' }
  expect(imagesAfterResults([seen('a', image), seen('b'), seen('c', image, image), question])).toEqual([
    { ...seen('a'), content: 'seen a\n[image: see the next message]' },
    { ...seen('b'), content: 'seen b' },
    { ...seen('c'), content: 'seen c\n[image: see the next message]\n[image: see the next message]' },
    { role: 'user', content: [heading, image, heading, image, image] },
    question,
  ])
})

it('moves the images of the last turn to the end', () => {
  expect(imagesAfterResults([question, seen('a', image)]).map(({ role }) => role)).toEqual(['user', 'tool', 'user'])
})
