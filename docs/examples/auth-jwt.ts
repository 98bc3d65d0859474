import type { Auth } from '@agentkit/server'
import { createRemoteJWKSet, errors, jwtVerify } from 'jose'

/** Accepts the access tokens that an identity provider signs for this server. */
export function jwtAuth(provider: { issuer: string; audience: string; jwksUrl: string }): Auth {
  const { issuer, audience, jwksUrl } = provider
  const keys = createRemoteJWKSet(new URL(jwksUrl), { timeoutDuration: 5_000 })
  return async (token) => {
    try {
      const { payload } = await jwtVerify(token, keys, {
        ...{ issuer, audience, algorithms: ['RS256', 'ES256'], requiredClaims: ['sub', 'exp'] },
        clockTolerance: 30, // seconds that the clocks of provider and server may differ
      })
      const userId = payload.sub ?? ''
      const isApprover = Array.isArray(payload.roles) && payload.roles.includes('approver')
      return userId === '' || userId === '*' ? undefined : { userId, mayApprove: isApprover }
    } catch (error) {
      if (isInvalidToken(error)) return undefined // 401
      throw error // the provider's keys cannot be read: 500, and a line in the log
    }
  }
}

function isInvalidToken(error: unknown): boolean {
  const unreadable = ['ERR_JOSE_GENERIC', 'ERR_JWKS_INVALID', 'ERR_JWKS_TIMEOUT']
  return error instanceof errors.JOSEError && !unreadable.includes(error.code)
}
