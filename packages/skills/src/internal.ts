// For agentkit's own packages, not for users: this entry follows no semver and may change in any release.

export { acceptSkills } from './accept-skills.ts'
export { type SkillsOptions, skillTools } from './skills.ts'
