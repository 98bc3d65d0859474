import hljs from 'highlight.js/lib/core'
import bash from 'highlight.js/lib/languages/bash'
import diff from 'highlight.js/lib/languages/diff'
import go from 'highlight.js/lib/languages/go'
import ini from 'highlight.js/lib/languages/ini'
import json from 'highlight.js/lib/languages/json'
import python from 'highlight.js/lib/languages/python'
import rust from 'highlight.js/lib/languages/rust'
import sql from 'highlight.js/lib/languages/sql'
import typescript from 'highlight.js/lib/languages/typescript'
import xml from 'highlight.js/lib/languages/xml'
import yaml from 'highlight.js/lib/languages/yaml'

const languages = { bash, diff, go, ini, json, python, rust, sql, typescript, xml, yaml }
for (const [name, language] of Object.entries(languages)) hljs.registerLanguage(name, language)
// The grammar of TypeScript includes the grammar of JavaScript.
hljs.registerAliases(['js', 'javascript', 'jsx', 'mjs', 'cjs'], { languageName: 'typescript' })

/** @returns `undefined` for a language that is not known */
export function highlighted(text: string, language: string): string | undefined {
  if (!hljs.getLanguage(language)) return undefined
  return hljs.highlight(text, { language, ignoreIllegals: true }).value
}
