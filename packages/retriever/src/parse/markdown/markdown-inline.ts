import { createSignFinder, type SignFinder } from '../../text/sign-finder.ts'
import { decodeEntity } from './decode-entity.ts'
import { createTagReader, spokenAttributes, type Tag } from './markup-tag.ts'

export type InlineOptions = {
  isMdx: boolean
  /** Whether it is a table, whose line ends are kept. */
  isTable?: boolean
}

/** The replacement of a piece of source, and the end of that piece. */
type Replacement = { text: string; end: number }

/**
 * The text of a paragraph as a reader sees it, close to its source: tags are removed except their `alt` and `title`,
 * comments are removed, references and escapes are decoded. Emphasis, links and code are kept.
 */
export function plainInline(raw: string, { isMdx, isTable = false }: InlineOptions): string {
  if (!(isMdx ? /[<&\\{]|\]\(|!\[/ : /[<&\\]|\]\(|!\[/).test(raw)) return raw
  const tags = createTagReader(raw)
  const codeEnds = findCodeEnds(raw)
  const searched = isMdx ? /[`<&\\!\]{]/g : /[`<&\\!\]]/g
  const { endBehind } = createSignFinder(raw)
  let outsideCode: SignFinder | undefined
  let text = ''
  let done = 0
  // Kept apart from `text`: reading that string each time would make appending slow.
  let last = ''

  for (let match = searched.exec(raw); match !== null; match = searched.exec(raw)) {
    const found = replace(match.index)
    if (found === undefined) continue
    const before = raw.slice(done, match.index)
    last = before.at(-1) ?? last
    // Words that a tag separated stay separate, by one space.
    const shown = found.text.startsWith(' ') && /^\s?$/.test(last) ? found.text.slice(1) : found.text
    last = shown.at(-1) ?? last
    text += before + shown
    done = found.end
    if (found.text.endsWith(' ')) while (raw[done] === ' ') done++
    searched.lastIndex = done
  }
  return text + raw.slice(done)

  function replace(at: number): Replacement | undefined {
    switch (raw[at]) {
      case '`':
        return keep(at, codeEnds.get(at) ?? endOfRun(raw, at))
      case '<':
        return replaceMarkup(at)
      case '&':
        return replaceBy(/&(?:#\d{1,7}|#[xX][\da-fA-F]{1,6}|[A-Za-z]+\d*);/y, at, ([reference]) =>
          decodeEntity(reference),
        )
      case '\\':
        return replaceBy(/\\[-_*#<>&~`+!.@$]/y, at, ([escaped]) => escaped.slice(1))
      case '!':
        return replaceBy(image, at, ([, alt = '']) => (alt === '' ? ' ' : alt))
      case ']':
        return shortenTarget(at)
      default:
        return replaceBraces(at)
    }
  }

  function keep(at: number, end: number): Replacement {
    return { text: raw.slice(at, end), end }
  }

  function replaceBy(pattern: RegExp, at: number, toText: (match: RegExpExecArray) => string): Replacement | undefined {
    pattern.lastIndex = at
    const match = pattern.exec(raw)
    return match === null ? undefined : { text: toText(match), end: at + match[0].length }
  }

  function replaceMarkup(at: number): Replacement | undefined {
    if (raw.startsWith('<!--', at)) {
      const end = endBehind('-->', at + 4)
      return end === undefined ? undefined : { text: ' ', end }
    }
    const address = /<(?:[a-z][a-z\d+.-]{1,30}:[^\s<>]{1,2000}|[^\s<>@]{1,100}@[^\s<>]{1,200})>/iy
    const kept = replaceBy(address, at, ([written]) => written)
    if (kept !== undefined) return kept
    const tag = tags.read(at)
    if (tag === undefined || !(isMdx || isMarkup(tag, raw, at, hasEnd))) return undefined
    const hidden = tag.isClosing || tag.isSelfClosing ? undefined : /^(?:script|style)$/i.exec(tag.name)?.[0]
    const hiddenEnd = hidden === undefined ? undefined : endBehind(`</${hidden}>`, tag.end)
    return { text: tagText(tag), end: hiddenEnd ?? tag.end }
  }

  function hasEnd({ name, end }: Tag): boolean {
    outsideCode ??= createSignFinder(withoutCode(raw, codeEnds))
    return outsideCode.endBehind(`</${name}>`, end) !== undefined
  }

  function tagText(tag: Tag): string {
    const said = spokenAttributes(tag)
    if (said.length > 0) return ` ${said.join(isTable ? ' ' : '\n')} `
    if (/^br$/i.test(tag.name)) return isTable ? ' ' : '\n'
    return inlineTags.has(tag.name.toLowerCase()) ? '' : ' '
  }

  /** A link without its target, if the target is long. */
  function shortenTarget(at: number): Replacement | undefined {
    const end = raw[at + 1] === '(' ? endBehind(')', at) : undefined
    if (end === undefined || (end - at < longestTarget && !raw.startsWith('](data:', at))) return undefined
    return /\s\S|[([]/.test(raw.slice(at + 2, Math.min(end - 1, at + longestTarget))) ? undefined : { text: ']', end }
  }

  /** Comments are removed; strings in braces and other expressions are kept. */
  function replaceBraces(at: number): Replacement | undefined {
    const comment = /\{\s{0,20}\/\*/y
    comment.lastIndex = at
    if (comment.test(raw)) {
      const end = endBehind('*/', comment.lastIndex) ?? raw.length
      const close = /^\s*\}/.exec(raw.slice(end, end + 20))?.[0]
      return close === undefined ? undefined : { text: ' ', end: end + close.length }
    }
    return replaceBy(/\{\s{0,20}(?:"([^"{}\n]*)"|'([^'{}\n]*)'|`([^`{}]*)`)\s{0,20}\}/y, at, (match) => {
      return match.slice(1).find((group) => group !== undefined) ?? ''
    })
  }
}

/** An image with its target, or with a reference to it. */
const image = /!\[([^\][]{0,1000})\](?:\([^()\n]{0,4000}\)|\[[^\][\n]{0,200}\])/y
/** The longest target that is kept. */
const longestTarget = 150

/** Inline elements. */
const inlineTags = new Set(
  'a abbr b bdi bdo big cite code del dfn em font i ins kbd mark q s samp small span strike strong sub sup tt u var'.split(
    ' ',
  ),
)
const blockTags = new Set(
  (
    'address area article aside audio base blockquote body br button canvas caption center col colgroup data datalist dd ' +
    'details dialog div dl dt embed fieldset figcaption figure footer form frame frameset h1 h2 h3 h4 h5 h6 head header ' +
    'hgroup hr html iframe img input label legend li link main map menu meta meter nav noscript object ol optgroup option ' +
    'output p param picture pre progress rp rt ruby script search section select slot source strong style summary svg path g ' +
    'rect circle table tbody td template textarea tfoot th thead time title tr track ul video wbr'
  ).split(' '),
)

/** Whether it is a tag in Markdown and not a word, as in `Map<string, Value>` or `<your name>`. */
function isMarkup(tag: Tag, raw: string, at: number, hasEnd: (tag: Tag) => boolean): boolean {
  const name = tag.name.toLowerCase()
  if (inlineTags.has(name) || blockTags.has(name)) return /^\s*$|^\s+[\w:@#.*(v-]|^\//.test(tag.attributes)
  if (tag.name === '') return false
  const isComponent = /^[A-Z]/.test(tag.name) || tag.name.includes('-')
  if (!isComponent || (!tag.isClosing && /\w/.test(raw.charAt(at - 1)))) return false
  const isLine = /^\n?$/.test(raw.charAt(at - 1)) && /^\n?$/.test(raw.charAt(tag.end))
  return tag.isSelfClosing || tag.isClosing || isLine || tag.attributes.includes('=') || hasEnd(tag)
}

/** The end of each code span, by its start. */
function findCodeEnds(raw: string): Map<number, number> {
  const runs: { at: number; length: number }[] = []
  for (let at = raw.indexOf('`'); at >= 0; at = raw.indexOf('`', endOfRun(raw, at))) {
    runs.push({ at, length: endOfRun(raw, at) - at })
  }
  const ends = new Map<number, number>()
  const nextOfLength = new Map<number, number>()
  for (const { at, length } of runs.reverse()) {
    const next = nextOfLength.get(length)
    if (next !== undefined) ends.set(at, next + length)
    nextOfLength.set(length, at)
  }
  return ends
}

/** The text with its code replaced by spaces. */
function withoutCode(raw: string, codeEnds: ReadonlyMap<number, number>): string {
  let text = ''
  let done = 0
  for (const [at, end] of [...codeEnds].sort(([one], [other]) => one - other)) {
    // A mark within code begins nothing.
    if (at < done) continue
    text += raw.slice(done, at) + ' '.repeat(end - at)
    done = end
  }
  return text + raw.slice(done)
}

function endOfRun(raw: string, at: number): number {
  let end = at
  while (raw[end] === '`') end++
  return end
}
