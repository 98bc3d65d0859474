/** The bounds of folders of skills. Nothing is cut: what exceeds one is an error that names it. */
export const limits = {
  skills: 256,
  /** The names and descriptions of all skills together: they are part of every request. */
  catalogChars: 65_536,
  nameChars: 64,
  descriptionChars: 1024,
  compatibilityChars: 500,
  frontMatterChars: 16_384,
  /** The text below the front matter of one skill. */
  bodyBytes: 131_072,
  /** The bodies that `always` puts into the instruction. */
  alwaysBytes: 262_144,
  filesPerSkill: 500,
  skillBytes: 67_108_864,
  /** The bytes that `read_skill_file` returns. */
  readBytes: 262_144,
  /** Entries of all folders that are searched. */
  entries: 5000,
  folderDepth: 16,
  /** How far below the folder skills are found. */
  searchDepth: 4,
  /** Problems that one error lists. */
  problems: 10,
} as const
