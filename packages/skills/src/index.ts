export { type SkillsOptions, skills } from './skills.ts'
