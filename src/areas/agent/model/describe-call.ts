import type { AgentCall } from '../../../../contract/generated/types.gen.ts';
import { formatMoment } from '../../../lib/dates/dates.ts';
import { pluralize } from '../../../lib/numbers.ts';
import type { SchemaNames } from './queries.ts';

export type DescribedCall = Pick<
  AgentCall,
  'tool' | 'outcome' | 'message' | 'arguments' | 'entryTypeId' | 'entryIds' | 'rows' | 'asOf'
>;

const FAILURES = {
  Invalid: 'Wrong arguments',
  Refused: 'Refused',
  Failed: 'Failed',
  Cancelled: 'Cancelled by the client',
} as const;

/** Describes a call in a sentence without the full stop: "Read 50 Deals with a filter", "Refused: …". */
export function describeCall(call: DescribedCall, names: SchemaNames): string {
  const { outcome, message } = call;
  if (outcome === 'Ok') return describeResult(call, names);
  const failure = FAILURES[outcome];
  return message === null ? failure : `${failure}: ${message}`;
}

function describeResult(call: DescribedCall, { getTypeName, getEntryName }: SchemaNames): string {
  const { tool, entryTypeId, entryIds, rows, asOf } = call;
  const one = entryTypeId === null ? 'Entry' : getEntryName(entryTypeId);
  const many = entryTypeId === null ? 'entries' : getTypeName(entryTypeId);
  const counted = pluralize(rows, one, many);
  const entry = entryIds[0] === undefined ? `one ${one}` : `${one} ${entryIds[0]}`;
  const filtered = hasFilter(call) ? ' with a filter' : '';
  const at = asOf === null ? '' : ` as of ${formatMoment(asOf)}`;
  switch (tool) {
    case 'list_entry_types':
      return 'Listed the entry types';
    case 'describe_fields':
      return `Read the fields of ${many}`;
    case 'query_rows':
    case 'rows_as_of':
      return `Read ${counted}${filtered}${at}`;
    case 'count_rows':
      return `Counted ${many}${filtered}${at}`;
    case 'get_entry':
      return `Read ${entry}${at}`;
    case 'entry_history':
      return `Read the history of ${entry}`;
    case 'find_users':
      return `Found ${pluralize(rows, 'person', 'people')}`;
    default:
      return tool;
  }
}

const hasFilter = ({ arguments: values }: Pick<DescribedCall, 'arguments'>): boolean =>
  ['query', 'filter', 'where'].some((name) => {
    const value = values[name];
    return typeof value === 'object' && value !== null && Object.keys(value).length > 0;
  });
