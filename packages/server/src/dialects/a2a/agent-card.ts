import type { Runnable } from '@agentkit/core'

type CardOptions = { url: string; hasAuth: boolean }

/** Describes this agent to other agents, without its instruction, tools and files. */
export function agentCard(agent: Runnable, { url, hasAuth }: CardOptions): object {
  const { name, description = `The agent ${name}.`, version = '1', members = [], samplePrompts } = agent
  const inputModes = ['text/plain', 'application/json', ...(agent.acceptsImages ? ['image/png', 'image/jpeg'] : [])]
  const skills = members.length > 0 ? members : [agent]
  return {
    ...{ name, description, version },
    supportedInterfaces: [{ url, protocolBinding: 'JSONRPC', protocolVersion: '1.0' }],
    // Clients of A2A 0.3 read these, call, and get the sentence that names the version.
    ...{ url, preferredTransport: 'JSONRPC', protocolVersion: '1.0' },
    capabilities: { streaming: true, pushNotifications: false, extendedAgentCard: false },
    ...(hasAuth && {
      securitySchemes: { bearer: { httpAuthSecurityScheme: { scheme: 'Bearer' } } },
      securityRequirements: [{ schemes: { bearer: { list: [] } } }],
    }),
    defaultInputModes: inputModes,
    defaultOutputModes: ['text/plain'],
    skills: skills.map((skill) => ({
      ...{ id: skill.id, name: skill.name, description: skill.description ?? `Asks ${skill.name}.`, tags: [] },
      ...(samplePrompts.length > 0 && { examples: samplePrompts }),
    })),
  }
}
