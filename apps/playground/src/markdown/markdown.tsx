import { useLayoutEffect, useRef, useState } from 'preact/hooks'
import { formatBytes } from '../run/format.ts'
import { t } from '../text/t.ts'
import { AnswerRenderer } from './answer-renderer.ts'

/** Longer texts are cut until the reader opens the whole text. */
const maxShown = 100_000
/** The most characters that a page can show. */
const maxAll = 5_000_000

/** When a part of an answer was drawn last that the reader has not asked for. */
export const drawn = { at: 0 }

/** A Markdown text that may grow. */
export function Markdown({ text: given, isDone = true }: { text: string; isDone?: boolean }) {
  const text = given.replace(/\r\n?/g, '\n')
  const [showsAll, setShowsAll] = useState(false)
  const host = useRef<HTMLDivElement>(null)
  const renderer = useRef<AnswerRenderer>(undefined)
  const max = showsAll ? maxAll : maxShown
  const isCut = text.length > max
  useLayoutEffect(() => {
    if (!host.current) return undefined
    renderer.current ??= new AnswerRenderer(host.current)
    const { current } = renderer
    let frame = 0
    const draw = (): void => {
      if (!showsAll) drawn.at = performance.now()
      // A block at the cut may continue in the rest of the text.
      if (!current.update(text.slice(0, max), isDone && !isCut)) frame = requestAnimationFrame(draw)
    }
    draw()
    return () => cancelAnimationFrame(frame)
  }, [text, isDone, max, isCut])
  return (
    <>
      <div class="markdown" dir="auto" ref={host} />
      {isCut && !showsAll && (
        <button type="button" class="plain" onClick={() => setShowsAll(true)}>
          {t('chat.showAll', { size: formatBytes(text.length) })}
        </button>
      )}
    </>
  )
}
