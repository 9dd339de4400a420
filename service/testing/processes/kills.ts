import type { Database } from '../../kernel/db/database.ts';

/**
 * How often a test kills processes: `npm test` takes the share that fits its time, `npm run proof` sets STEWARD_KILLS. The embedded
 * database takes seconds to open.
 */
export const getKillCount = (kind: Database['kind'], share: Record<Database['kind'], number>): number =>
  Number(process.env['STEWARD_KILLS'] ?? share[kind]);
