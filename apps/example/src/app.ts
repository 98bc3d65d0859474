import { Agent, type AgentOptions, isAgentKitError, terminalLine } from 'agentkit'
import { convertUnits } from './convert-units.ts'
import { getCurrentTime } from './get-current-time.ts'
import { getTransactionReceipt } from './get-transaction-receipt.ts'

try {
  await serveExample()
} catch (error) {
  if (!isAgentKitError(error)) throw error
  const hint = error.code === 'invalid-config' ? ' (HOST and PORT change the address: PORT=8001 npm start)' : ''
  console.error(terminalLine(error.message + hint))
  process.exitCode = 1
}

async function serveExample(): Promise<void> {
  const agent = createAgent({
    name: 'Example Agent',
    functions: [getTransactionReceipt, getCurrentTime, convertUnits],
    configPath: './agentkit_config.toml',
  })
  // Creating the agent has loaded .env, which may have HOST and PORT.
  const { HOST, PORT } = process.env
  const server = await agent.run({ ...(HOST && { host: HOST }), ...(PORT && { port: Number(PORT) }) })
  // The shell of the user has the token in the same variable.
  const tokens = agent.sdkContext.config.server.auth_tokens_env
  const token = tokens ? ' --header "Authorization: Bearer $TOKEN"' : ''
  const chatData = JSON.stringify({ messages: [{ role: 'user', content: 'What time is it in Tokyo?' }] })
  console.log(`Ask it something:

curl ${server.url}/api/v1/chat${token} --form user_id=test --form session_id=test --form 'chat_data=${chatData}'
`)
}

/** Without a model and a key the example runs on the offline stand-in, and prints a notice. */
function createAgent(options: AgentOptions): Agent {
  try {
    return new Agent(options)
  } catch (error) {
    // A configured model without its key (the error has the provider) is an error that must be visible.
    if (!isAgentKitError(error) || error.code !== 'missing-key' || error.provider !== undefined) throw error
    console.log(
      'No key and no model is set: running on offline/extractive. It is not a language model; it calls tools by matching ' +
        'words.\nFor a real one set LLMPROVIDER_API_KEY or OPENAI_API_KEY in .env (see .env.example), or model = "…" in ' +
        'agentkit_config.toml.',
    )
    return new Agent({ ...options, model: 'offline/extractive' })
  }
}
