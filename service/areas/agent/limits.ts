import type { AgentLimits } from '../../../contract/generated/types.gen.ts';

/** Longest time for which the ledger and ended keys are shown. */
export const LEDGER_DAYS = 90;
/** Bytes of the text of a result: clients of models stop at about 25,000 tokens. */
export const MAX_RESULT_BYTES = 40_000;
export const MAX_ROWS_PER_RESULT = 200;
export const DEFAULT_ROWS_PER_RESULT = 50;
export const MAX_KEYS_PER_PERSON = 20;

/** Limits of calls, which hold for all processes of the service together (ledger.ts). */
export interface CallLimits {
  callsPerMinute: number;
  rowsPerMinute: number;
  siteCallsPerMinute: number;
}

export const CALL_LIMITS: Readonly<CallLimits> = {
  callsPerMinute: 60,
  rowsPerMinute: 5_000,
  siteCallsPerMinute: 600,
};

/** The limits as the settings show them. */
export const AGENT_LIMITS: AgentLimits = {
  ...CALL_LIMITS,
  resultBytes: MAX_RESULT_BYTES,
  rowsPerResult: MAX_ROWS_PER_RESULT,
  keyDays: 90,
  keysPerPerson: MAX_KEYS_PER_PERSON,
  ledgerDays: LEDGER_DAYS,
};
