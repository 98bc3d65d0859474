import { skillText } from './skill-folder.ts'

/**
 * A repository of skills with the structure of the public one: folders of skills with licences, references, scripts, fonts,
 * schemas and templates, and beside them a template, the specification, and files of other tools.
 */
export function publicRepository(): Record<string, string | Uint8Array> {
  const font = new Uint8Array(60_000).map((_, index) => index % 251)
  const plain = ['drawing-with-code', 'brand-rules', 'comms', 'co-authoring', 'theme-maker', 'stickers']
  const files: Record<string, string | Uint8Array> = {
    'README.md': '# Skills',
    'THIRD_PARTY_NOTICES.md': 'Notices.',
    'agent_skills_spec.md': 'See the site.',
    '.claude-plugin/marketplace.json': '{}',
    '.gitignore': '__pycache__\n',
    'spec/agent-skills-spec.md': 'See the site.',
    'template/SKILL.md':
      '---\nname: template-skill # lower-case letters, digits and hyphens\ndescription: Replace with a description.\n---\n\n# Insert instructions below\n',
  }
  for (const name of plain) {
    files[`skills/${name}/SKILL.md`] = skillText(name)
    files[`skills/${name}/LICENSE.txt`] = 'A licence.'
  }
  for (const name of ['word-files', 'slide-files', 'sheet-files', 'page-files']) {
    files[`skills/${name}/SKILL.md`] =
      `---\nname: ${name}\ndescription: "Reads, makes and changes ${name}. Use it when: (1) a file is to be made, (2) it is to be changed."\nlicense: Proprietary. LICENSE.txt has complete terms\n---\n\n# ${name}\n\nRead [reference](reference.md) first.\n`
    files[`skills/${name}/reference.md`] = `# Reference of ${name}\n${'A line.\n'.repeat(400)}`
    files[`skills/${name}/scripts/pack.py`] = 'print("packed")\n'
    files[`skills/${name}/scripts/__init__.py`] = ''
    for (let part = 0; part < 30; part++) {
      files[`skills/${name}/ooxml/schemas/iso/part-${part}.xsd`] = `<schema part="${part}"/>`
    }
  }
  for (let index = 0; index < 60; index++) files[`skills/drawing-with-code/fonts/face-${index}.ttf`] = font
  files['skills/stickers/requirements.txt'] = 'pillow>=10\n'
  files['skills/stickers/core/draw.py'] = 'def draw(): pass\n'
  files['skills/skill-maker/SKILL.md'] =
    `---\nname: skill-maker\ndescription: >-\n  Makes skills. Use it when someone wants\n  a new skill, or a better one.\nallowed-tools: Read, Bash(python *)\nmetadata:\n  version: "1.0"\n  authors: [a, b]\ncompatibility: Needs Python.\n---\n\n${'Write it well.\n'.repeat(1500)}`
  files['skills/skill-maker/assets/example/SKILL.md'] = 'An example of a skill, which is none itself.'
  return files
}
