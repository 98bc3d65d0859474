/** Katakana words without the bar at their end, as short words need it: writers spell both コンピューター and コンピュータ. */
export function withoutLongEnd(text: string): string {
  return text.includes('ー') ? text.replace(/(?<=[\u30a1-\u30fc]{3})ー(?![\u30a1-\u30fc])/gu, '') : text
}
