import { expect, it } from 'vitest'
import { PageNotes } from './page-notes.ts'

it('names ten ranges of pages, and counts the rest', () => {
  const notes = new PageNotes()
  notes.read = 1
  notes.pictures.push(1, 2, 3, ...Array.from({ length: 12 }, (_, place) => 10 + place * 2))
  notes.garbled.push(7)
  notes.damaged.push(8, 9)
  expect(notes.judge(40, new Set()).reason).toBe(
    'Pages 1–3, 10, 12, 14, 16, 18, 20, 22, 24, 26 and 3 more have no text, only pictures: they need OCR; ' +
      'page 7 has a garbled text layer; pages 8–9 are damaged.',
  )
})

it('warns of text that may be missing because of missing character tables', () => {
  const notes = new PageNotes()
  notes.read = 1
  expect(notes.judge(1, new Set(['90ms-RKSJ-H.bcmap']))).toMatchObject({
    status: 'low-quality',
    reason: expect.stringMatching(/90ms-RKSJ-H.*npm i pdfjs-dist/),
  })
})

it('treats a file of damaged pages as damaged', () => {
  const notes = new PageNotes()
  notes.damaged.push(1)
  expect(() => notes.judge(1, new Set())).toThrowError(expect.objectContaining({ status: 'corrupt' }))
})
