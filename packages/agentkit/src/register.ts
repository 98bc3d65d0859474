import '@agentkit/functions/register'
