/** Whether properties hide text; `undefined` where they say nothing of it. */
export function vanishOf(properties: string): boolean | undefined {
  const [element, value = '1'] = /<w:vanish(?:\s+w:val="([^"<>]*)")?\s*\/>/.exec(properties) ?? []
  return element === undefined ? undefined : ['1', 'true', 'on'].includes(value)
}
