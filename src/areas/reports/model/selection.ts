import type { ReportTemplate } from '../../../../contract/generated/types.gen.ts';
import { isTimestamp } from '../../../lib/dates/timestamps.ts';
import {
  formatList,
  omitUndefined,
  parseIds,
  readSearchText,
  toSearchValue,
} from '../../../lib/search-params.ts';
import type { Search } from '../../../lib/search-params.ts';

/** Most entries that a report can name one by one; a filter selects more. */
export const MAX_SELECTED_ENTRIES = 1000;

/** What the page that generates a report starts with, in its URL. */
export interface ReportSelection {
  /** API name or id of the entry type; empty if the template decides. */
  type: string;
  templateId: number | undefined;
  /** Selected entries; all that match `query` without any. */
  ids: readonly number[];
  /** Conditions as in queryRowsByBody. */
  query: Readonly<Record<string, unknown>> | undefined;
  orderBy: string;
  /** ISO timestamp; empty for the data of the moment when the report is generated. */
  asOf: string;
  /** The selection in words. */
  filter: string;
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Parses the selection from search parameters; invalid ones are ignored. */
export function parseSelection(search: Search): ReportSelection {
  const { template, query, asOf } = search;
  const time = readSearchText(asOf);
  return {
    type: readSearchText(search['type']),
    templateId:
      typeof template === 'number' && Number.isInteger(template) && template > 0 ? template : undefined,
    ids: parseIds(search['ids']).slice(0, MAX_SELECTED_ENTRIES),
    query: isObject(query) && Object.keys(query).length > 0 ? query : undefined,
    orderBy: readSearchText(search['orderBy']),
    asOf: isTimestamp(time) ? time : '',
    filter: readSearchText(search['filter']),
  };
}

/**
 * Ready templates with which a selection can be generated. Entries and conditions belong to one entry type: that of the selection
 * (`typeId`, if it exists), otherwise that of its template.
 */
export function filterTemplates(
  templates: readonly ReportTemplate[],
  { type, templateId, ids, query }: Pick<ReportSelection, 'type' | 'templateId' | 'ids' | 'query'>,
  typeId: number | undefined,
): ReportTemplate[] {
  const isBound = type !== '' || (templateId !== undefined && (ids.length > 0 || query !== undefined));
  const entryTypeId = type === '' ? templates.find(({ id }) => id === templateId)?.entryTypeId : typeId;
  return templates.filter(
    (template) => template.status === 'Ready' && (!isBound || template.entryTypeId === entryTypeId),
  );
}

const toText = (text: string | undefined) =>
  text === undefined || text === '' ? undefined : toSearchValue(text);

/** Formats the selection as search parameters without empty ones. */
export const formatSelection = (selection: Partial<ReportSelection>) =>
  omitUndefined({
    type: toText(selection.type),
    template: selection.templateId,
    ids: formatList(selection.ids ?? []),
    query: selection.query,
    orderBy: toText(selection.orderBy),
    asOf: toText(selection.asOf),
    filter: toText(selection.filter),
  });
