/** What a tool's own words are, which are no arguments of it. */
export type Vocabulary = {
  /** Stems of its name. */
  name: ReadonlySet<string>
  /** Stems of its name, its description and the names of its parameters. */
  all: ReadonlySet<string>
}

/** For a schema that is no tool's. */
export const noVocabulary: Vocabulary = { name: new Set(), all: new Set() }
