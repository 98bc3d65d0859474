import { Command } from 'commander'
import { storePlace } from '../common/store-place.ts'
import type { DoctorFlags } from './doctor.ts'

/** `agentkit doctor`: finds the faults of the project in this folder. */
export function doctorCommand(): Command {
  return new Command('doctor')
    .option('--json', 'print { ok, checks } as JSON')
    .option('--offline', 'contact no provider and no server of the network')
    .option('--sessions <path | url>', 'the store (default: the one of this folder)', storePlace)
    .addHelpText('after', examples)
    .action(async (flags: DoctorFlags) => {
      const { doctor } = await import('./doctor.ts')
      process.exit(await doctor(flags))
    })
}

const examples = `
Examples:
  agentkit doctor
  agentkit doctor --offline --json

It changes nothing, prints no key and calls no model. Exit codes: 0 nothing fails, 1 a check fails.`
