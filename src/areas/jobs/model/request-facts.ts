import type { Job } from '../../../../contract/generated/types.gen.ts';
import { formatExactDate } from '../../../lib/dates/dates.ts';
import { formatNumber, pluralize } from '../../../lib/numbers.ts';

/** One property of what was asked, shown as a label with a chip for each value. */
export interface RequestFact {
  label: string;
  values: readonly string[];
}

const MAX_FIELDS = 6;

const asText = (value: unknown): string | undefined =>
  typeof value === 'string' && value !== '' ? value : undefined;

const asTexts = (value: unknown): string[] =>
  Array.isArray(value) ? value.filter((item) => typeof item === 'string') : [];

/** The first fields, and how many more there are. */
function abbreviate(names: readonly string[]): string[] {
  const more = names.length - MAX_FIELDS;
  return more > 0 ? [...names.slice(0, MAX_FIELDS), `${more} more`] : [...names];
}

const EXPORTED_TYPES: Partial<Record<Job['kind'], string>> = {
  'users.export': 'Users',
  'activity.export': 'Activity',
  'proxies.export': 'Acting report',
};

/** What the rows of an export are: the name of the entry type, "Users"; undefined for other jobs. */
export const getExportedType = ({ kind, parameters }: Pick<Job, 'kind' | 'parameters'>): string | undefined =>
  kind === 'entries.export' ? (asText(parameters['typeName']) ?? 'Entries') : EXPORTED_TYPES[kind];

/** How many fields of entries were exported: "7 fields"; undefined for other jobs, whose columns are always the same. */
export function countExportedFields({
  kind,
  parameters,
}: Pick<Job, 'kind' | 'parameters'>): string | undefined {
  if (kind !== 'entries.export') return undefined;
  const { fields } = parameters;
  return Array.isArray(fields) ? pluralize(fields.length, 'field', 'fields') : 'All fields';
}

const isEmpty = (value: unknown): boolean =>
  value === undefined || (typeof value === 'object' && value !== null && Object.keys(value).length === 0);

/** The rows of an export that left none out: "All 500 Companies"; undefined for others and before the file is made. */
function formatAllRows({ kind, parameters, file }: RequestedJob): string | undefined {
  const { filterText, query, isSelection, only } = parameters;
  const isAll = [query, only].every(isEmpty) && asText(filterText) === undefined && isSelection !== true;
  if (!file || !isAll || (kind !== 'entries.export' && kind !== 'users.export')) return undefined;
  return `All ${formatNumber(file.rows)} ${getExportedType({ kind, parameters }) ?? ''}`;
}

/** What a job says of its request and of the file that it made. */
type RequestedJob = Pick<Job, 'kind' | 'parameters'> & {
  file?: Pick<NonNullable<Job['file']>, 'rows'> | null;
};

/** Type, filter, fields and format of an export, or the file of an import; empty for jobs whose title says everything. */
export function listRequestFacts(job: RequestedJob): RequestFact[] {
  const { parameters } = job;
  const type = getExportedType(job);
  const asOf = asText(parameters['asOf']);
  const facts: [label: string, values: readonly (string | undefined)[]][] = [
    ['Type', [type]],
    ['Filter', [asText(parameters['filterText'])]],
    ['Rows', [formatAllRows(job)]],
    ['Selected', [parameters['isSelection'] === true ? 'Only selected rows' : undefined]],
    ['As of', [asOf === undefined ? undefined : formatExactDate(asOf)]],
    ['Fields', type === undefined ? [] : abbreviate(asTexts(parameters['fields']))],
    ['Format', [asText(parameters['format'])?.toUpperCase()]],
    ['File', [asText(parameters['fileName'])]],
    ['Worksheet', [asText(parameters['sheet'])]],
  ];
  return facts
    .map(([label, values]) => ({ label, values: values.filter((value) => value !== undefined) }))
    .filter(({ values }) => values.length > 0);
}

/** The entry type and the query of the list that was exported; undefined for other exports and for lists as of a date. */
export function getExportedList({
  kind,
  parameters,
}: Pick<Job, 'kind' | 'parameters'>):
  | { type: string; query: Record<string, unknown> | undefined }
  | undefined {
  const { query, asOf } = parameters;
  const entryType = getEntryType(kind, parameters);
  if (entryType === undefined || asOf !== undefined) return undefined;
  if (query === undefined) return { type: entryType, query: undefined };
  // The text of a query would have to be parsed; the console sends objects.
  return typeof query === 'object' && query !== null ? { type: entryType, query: { ...query } } : undefined;
}

/** The type of the exported list; undefined for a report of selected entries, which are no list. */
function getEntryType(
  kind: string,
  { entryType, entryTypeId, selected }: Job['parameters'],
): string | undefined {
  if (kind === 'report')
    return typeof entryTypeId === 'number' && selected === null ? String(entryTypeId) : undefined;
  return kind === 'entries.export' ? asText(entryType) : undefined;
}

const isId = (value: unknown): value is number => typeof value === 'number' && value > 0;

/** The entry of an item with its type, for a link; undefined if the item has none or the job deleted it. */
export function getItemEntry(
  { kind, parameters }: Pick<Job, 'kind' | 'parameters'>,
  {
    input,
    before,
    state,
  }: { input: Record<string, unknown>; before: Record<string, unknown> | null; state: string },
): { typeId: number; entryId: number } | undefined {
  const { typeId } = parameters;
  const entryId = input['entryId'] ?? before?.['entryId'];
  const isDeleted = state === 'done' && (kind === 'entries.delete' || kind === 'entries.import-undo');
  return kind.startsWith('entries.') && isId(typeId) && isId(entryId) && !isDeleted
    ? { typeId, entryId }
    : undefined;
}
