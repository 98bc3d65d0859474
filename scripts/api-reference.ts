import { globSync } from 'node:fs'
import { posix } from 'node:path'
import { type ClassDeclaration, type JSDoc, type JSDocableNode, Node, type SourceFile } from 'ts-morph'
import { slugOf } from '../docs/.vitepress/pages.ts'
import { type BaseOf, createExportReader, type Exported } from './read-exports.ts'
import { type Manifest, readJson, root } from './workspace-files.ts'

/** The entry of one public name in the reference. */
export type ApiEntry = {
  /** The name as in `public-names.txt`: `tool`, `type Tool`. */
  name: string
  /** The entry point from which users import it: `agentkit/functions`. */
  entryPoint: string
  /** The text of the docstring before its tags; empty if there is none. */
  description: string
  /** The Markdown of the entry on its page, below the heading. */
  body: string
}

/** The page of a package: `api/core.md`. */
export type ApiPage = { path: string; text: string; entries: ApiEntry[] }

type Package = { folder: string; manifest: Manifest }

type Found = Exported & { entryPoint: string }

/**
 * The API reference: a page per package, generated from the sources and docstrings of everything that its entry points
 * export. Entry points named `internal` have none: they are for our own packages. What another package exports has its
 * signature on the page of that one.
 */
export function apiReference(): ApiPage[] {
  const packages = readManifests()
  const entryPoints = packages.flatMap(entryPointsOf)
  const { exportsOf, baseOf } = createExportReader(new Map(entryPoints.map(({ name, source }) => [name, source])))

  const foundIn = new Map<Package, Found[]>()
  for (const { owner, name, source } of entryPoints.filter(({ name }) => !name.endsWith('/internal'))) {
    const found = exportsOf(source).map((exported) => ({ ...exported, entryPoint: name }))
    foundIn.set(owner, [...(foundIn.get(owner) ?? []), ...found])
  }

  return packages.map((owner) => {
    const entries = (foundIn.get(owner) ?? []).map((found) => {
      const isHere = (each: Package) => found.path.startsWith(`${each.folder}/`)
      const home = isHere(owner) ? undefined : packages.find(isHere)
      const isThere = home && foundIn.get(home)?.some(({ path, name }) => path === found.path && name === found.name)
      return entryOf(found, isThere ? home : undefined, baseOf)
    })
    return { path: `api/${pageName(owner)}.md`, text: textOf(owner, entries), entries }
  })
}

function readManifests(): Package[] {
  const paths = globSync('packages/*/package.json', { cwd: root }).map((path) => path.replaceAll('\\', '/'))
  return paths.sort().map((path) => ({ folder: posix.dirname(path), manifest: readJson<Manifest>(path) }))
}

function entryPointsOf(owner: Package): { owner: Package; name: string; source: string }[] {
  return Object.entries(owner.manifest.exports ?? {}).flatMap(([entryPoint, conditions]) => {
    const source = typeof conditions === 'string' ? undefined : conditions['@agentkit/source']
    if (source === undefined) return []
    return [{ owner, name: posix.join(owner.manifest.name, entryPoint), source: posix.join(owner.folder, source) }]
  })
}

function entryOf(found: Found, home: Package | undefined, baseOf: BaseOf): ApiEntry {
  const doc = docOf(found.declarations)
  const description = doc ? proseOf(doc.getDescription()) : ''
  const name = found.isType ? `type ${found.name}` : found.name
  const body = home
    ? [description, `From [\`${home.manifest.name}\`](${pageName(home)}.md#${slugOf(name)}).`]
    : [
        description,
        fenced(found.declarations.map((each) => signatureOf(each, baseOf)).join('\n')),
        ...(doc ? tagsOf(doc) : []),
        `Source: \`${found.path}\``,
      ]
  return { name, entryPoint: found.entryPoint, description, body: body.filter(Boolean).join('\n\n') }
}

function textOf({ manifest }: Package, entries: readonly ApiEntry[]): string {
  const points = [...new Set(entries.map(({ entryPoint }) => entryPoint))]
  const sections = points.map((point) => {
    const listed = entries.filter(({ entryPoint }) => entryPoint === point)
    return [`## Exports of ${point}`, ...listed.map(({ name, body }) => `### ${name}\n\n${body}`)].join('\n\n')
  })
  return `# ${manifest.name}\n\n${[manifest.description, ...sections].join('\n\n')}\n`
}

function pageName({ folder }: Package): string {
  return posix.basename(folder)
}

function docOf(declarations: readonly Node[]): JSDoc | undefined {
  for (const declaration of declarations) {
    const holder = Node.isVariableDeclaration(declaration) ? declaration.getVariableStatement() : declaration
    const docs = holder && Node.isJSDocable(holder) ? (holder as JSDocableNode).getJsDocs() : []
    const doc = docs.at(-1)
    if (doc) return doc
  }
  return undefined
}

function tagsOf(doc: JSDoc): string[] {
  const lines: string[] = []
  const examples: string[] = []
  for (const tag of doc.getTags()) {
    const comment = proseOf(tag.getCommentText() ?? '')
    const name = tag.getTagName()
    if (Node.isJSDocParameterTag(tag)) lines.push(`- \`${tag.getName()}\`: ${comment.replace(/^- /, '')}`)
    else if (name === 'example') examples.push(comment.startsWith('```') ? comment : fenced(comment))
    else if (comment) lines.push(`- ${name}: ${comment}`)
  }
  return [lines.join('\n'), ...examples]
}

/** A docstring's text as Markdown: `{@link name}` is code. */
function proseOf(text: string): string {
  return text.trim().replace(/\{@link(?:code)? ([^}|]+?)(?:\|[^}]*)?\}/g, '`$1`')
}

/** A declaration as users see it: without bodies, private members and values. */
function signatureOf(node: Node, baseOf: BaseOf): string {
  if (Node.isFunctionDeclaration(node)) return withoutBody(node, node.getBody()).replace(/^export (?:default )?/, '')
  if (Node.isClassDeclaration(node)) return classOf(node, baseOf)
  if (Node.isVariableDeclaration(node)) return `const ${withoutBody(node, initializerOf(node))}`
  return node.getText().replace(/^export /, '')
}

/** A class with the members that it inherits from classes of the workspace. */
function classOf(node: ClassDeclaration, baseOf: BaseOf): string {
  const members = new Map<string, string>()
  for (let each: ClassDeclaration | undefined = node; each; each = baseOf(each)) {
    for (const member of each.getMembers()) {
      const name = nameOf(member)
      if (isPublicMember(member) && !members.has(name)) members.set(name, memberOf(member))
    }
  }
  const [first] = node.getMembers()
  const header = first ? textBetween(node.getSourceFile(), node.getStart(), first.getPos()) : node.getText()
  return `${header.replace(/^export /, '').trimEnd()}\n${[...members.values()].join('\n')}\n}`
}

function isPublicMember(member: Node): boolean {
  const text = member.getText().replace(/^\/\*\*[\s\S]*?\*\/\s*/, '')
  const isInternal = Node.isJSDocable(member) && member.getJsDocs().some((doc) => doc.getText().includes('@internal'))
  return !isInternal && !/^(?:private |protected |static \{|(?:async |get |set |readonly |override |\*)*#)/.test(text)
}

function nameOf(member: Node): string {
  if (Node.isConstructorDeclaration(member)) return 'constructor'
  const accessor = Node.isSetAccessorDeclaration(member) ? 'set ' : ''
  return Node.hasName(member) ? accessor + member.getName() : member.getText()
}

function memberOf(member: Node): string {
  const body = Node.isBodied(member) || Node.isBodyable(member) ? member.getBody() : undefined
  const value = Node.isPropertyDeclaration(member) ? initializerOf(member) : undefined
  const docs = Node.isJSDocable(member) ? member.getJsDocs().map((doc) => `${doc.getText()}\n  `) : []
  return `  ${docs.join('')}${withoutBody(member, body ?? value)}`
}

/** The value, if the declaration has a type: otherwise the value is what shows it. */
function initializerOf(
  node: Node & { getTypeNode(): Node | undefined; getInitializer(): Node | undefined },
): Node | undefined {
  return node.getTypeNode() ? node.getInitializer() : undefined
}

function withoutBody(node: Node, body: Node | undefined): string {
  const text = body ? textBetween(node.getSourceFile(), node.getStart(), body.getStart()) : node.getText()
  return text.replace(/\s*=\s*$/, '').trimEnd()
}

function textBetween(file: SourceFile, start: number, end: number): string {
  return file.getFullText().slice(start, end)
}

function fenced(code: string): string {
  return `\`\`\`ts\n${code}\n\`\`\``
}
