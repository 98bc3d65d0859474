import { expect, it } from 'vitest'
import { useFolder } from '../__fixtures__/use-folder.ts'
import { readConfig } from './read-config.ts'

const { path, write } = useFolder()

it.each([
  ['model = openai/gpt-5.4-mini', 'Texts are in quotes'],
  ['host = 127.0.0.1', 'Texts are in quotes'],
  ['model = “openai/gpt-5.4-mini”', 'Quotes are " or \''],
  ['retrieve = True', 'Write true or false, in small letters'],
  ['instruction = no jokes', 'Texts are in quotes'],
  ['retrieve = yes # always', 'Write true or false, in small letters'],
  ['model = null', 'Remove the line'],
  ['instruction = "C:\\Users\\me"', "in single quotes: 'C:\\files'"],
  ['instruction = "You answer briefly.', 'End the text with " on its line'],
  ['timeout = 5\ntimeout = 6', 'Write each key and each [table] once'],
  ['[server', 'End the name of the table with ]'],
  ['max_steps: 20', 'Write = between a key and its value'],
  ['sample_prompts = ["a" "b"]', 'Correct the line.'],
])('says of %j what to do', (line, fix) => {
  const text = `[defaults]\r\n${line}\r\n\r\nmax_steps = 3\r\n`
  write('agentkit_config.toml', text)
  const place = `${path('agentkit_config.toml')}:${line.split('\n').length + 1}: invalid TOML: `
  expect(() => readConfig(path('agentkit_config.toml'))).toThrow(place)
  expect(() => readConfig(path('agentkit_config.toml'))).toThrow(fix)
})
