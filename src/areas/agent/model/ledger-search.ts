import { omitUndefined, parseIds } from '../../../lib/search-params.ts';
import type { Search } from '../../../lib/search-params.ts';

/** State of the ledger, kept in the URL; absent filters do not apply. */
export interface LedgerSearch {
  /** Period; 1 by default. */
  days?: number;
  /** Id of a key. */
  agent?: number;
  /** Id of the person the agent works for. */
  for?: number;
  /** Id of an entry type. */
  type?: number;
  /** Id of a field; 0 is the name of an entry. */
  field?: number;
  refused?: true;
  flagged?: true;
}

const parseFlag = (value: unknown): true | undefined => (value === true ? value : undefined);

/** Parses the search parameters of the ledger, without invalid ones. */
export const parseLedgerSearch = ({
  days,
  agent,
  type,
  field,
  refused,
  flagged,
  ...rest
}: Search): LedgerSearch =>
  omitUndefined({
    days: [7, 30, 90].find((one) => one === days),
    agent: parseIds(agent)[0],
    for: parseIds(rest.for)[0],
    type: parseIds(type)[0],
    field: field === 0 ? 0 : parseIds(field)[0],
    refused: parseFlag(refused),
    flagged: parseFlag(flagged),
  });
