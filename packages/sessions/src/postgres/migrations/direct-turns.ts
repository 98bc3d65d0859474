/** Version 3 of the schema: until when queued runs of a session let a direct one go before them. Released; never changed. */
export const directTurns = 'ALTER TABLE agentkit.sessions ADD COLUMN direct_until bigint'
