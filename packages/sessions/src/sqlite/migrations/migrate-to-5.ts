/** Version 5: until when queued runs of a session let a direct one go before them. Released; never changed. */
export const addDirectTurns = 'ALTER TABLE sessions ADD COLUMN direct_until INTEGER'
