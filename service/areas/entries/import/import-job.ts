import type { EntryImportRow, JobCellValue } from '../../../../contract/generated/types.gen.ts';
import { FIELD, isFileField } from '../../../../contract/rules/schema/fields.ts';
import { getNearKey } from '../../../../contract/rules/schema/near-names.ts';
import { badRequest, type FieldError } from '../../../kernel/api-error.ts';
import type { Db, Tx } from '../../../kernel/db/database.ts';
import type { Call, Handlers } from '../../../kernel/http/handler.ts';
import { defineJobKind, type ItemOutcome, type JobBatch } from '../../../kernel/jobs/job-kind.ts';
import { getListedItems, startJob } from '../../jobs/index.ts';
import { loadSchema, lockSchemaShared, type EntryType, type SchemaField } from '../../schema/index.ts';
import { loadZones, requireType } from '../query/resolve-query.ts';
import { listDeletions } from '../write/bulk.store.ts';
import { applyItem, type EntryDraft, type ExistingEntries, listFieldsToRead } from '../write/entry-drafts.ts';
import { loadChangeNames } from '../write/event-cells.ts';
import {
  conflict,
  describeMissing,
  failed,
  findOutcome,
  formatEntries,
  listReplaced,
  MAX_BATCH_BYTES,
  toRefusal,
  TYPE_DELETED,
} from '../write/job-kinds.ts';
import { lockEntries, lockReferencedEntries } from '../write/locks.store.ts';
import type { CellWrite, DateOptions } from '../write/parse-value.ts';
import {
  assignCounterNumbers,
  findDraftErrors,
  getAuthor,
  listReferencedIds,
  RECALCULATE_TASK,
  recordEntryChanges,
  storeDrafts,
} from '../write/write-entries.ts';
import { getChangeTime, reserveEntryIds } from '../write/write.store.ts';
import { type EntryImportParameters, formatFile, type ImportedRow } from './import-file.ts';
import { IMPORT_LABELS, type ImportedItem, listImportedItems } from './import.store.ts';
import { loadReportColumns } from './report-columns.ts';
import { invertImport, joinUndos } from './undo-import.ts';

type ImportBatch = JobBatch<EntryImportParameters, EntryImportRow>;
type CheckBatch = Omit<ImportBatch, 'record'>;

/** An item with its number in the job. */
interface Row extends EntryImportRow {
  number: number;
}

const listRows = ({ items, itemNumbers }: CheckBatch): Row[] =>
  items.map((item, index) => ({ ...item, number: itemNumbers[index] ?? 0 }));

/** Whether a row creates an entry. */
const isCreation = ({ entryId, ofItem }: EntryImportRow): boolean =>
  entryId === undefined && ofItem === undefined;

const isReference = ({ fieldType }: Pick<SchemaField, 'fieldType'>): boolean => fieldType === FIELD.reference;

type Fields = ReadonlyMap<number, SchemaField>;
const getFields = (type: EntryType): Fields => new Map(type.fields.map((field) => [field.id, field]));

/** Numbers of the items that a value of a reference field names. */
const listNamedItems = ({ fieldId, value }: JobCellValue, fields: Fields): number[] => {
  const field = fields.get(fieldId);
  if (!field || !isReference(field)) return [];
  return [value].flat().flatMap((id) => (typeof id === 'number' && id < 0 ? [-id] : []));
};

/** Numbers of the items whose entries a row needs. */
const listNeededItems = ({ ofItem, values }: EntryImportRow, fields: Fields): number[] => [
  ...(ofItem === undefined ? [] : [ofItem]),
  ...values.flatMap((cell) => listNamedItems(cell, fields)),
];

/** A value with the ids of entries instead of numbers of items. */
function resolveValue(cell: JobCellValue, fields: Fields, getId: (number: number) => number): JobCellValue {
  if (listNamedItems(cell, fields).length === 0) return cell;
  const toId = <Item>(id: Item) => (typeof id === 'number' && id < 0 ? getId(-id) : id);
  return { ...cell, value: Array.isArray(cell.value) ? cell.value.map(toId) : toId(cell.value) };
}

/** The context of the rows of one transaction. */
interface Context {
  tx: Tx;
  siteId: number;
  type: EntryType;
  fields: Fields;
  dateOptions: DateOptions;
  ignoreNearDups: boolean;
}

async function loadContext({ tx, caller, parameters }: CheckBatch): Promise<Context | undefined> {
  const schema = await lockSchemaShared(tx, caller.siteId);
  const type = schema.typesById.get(parameters.typeId);
  return (
    type && {
      tx,
      siteId: caller.siteId,
      type,
      fields: getFields(type),
      dateOptions: { behavior: 0, zones: await loadZones(tx, caller, 0) },
      ignoreNearDups: parameters.ignoreNearDups,
    }
  );
}

/** Rows whose values are checked together, with the entries that they name. */
interface RowGroup {
  rows: readonly Row[];
  /** Id of the entry of each row: an existing or reserved one, or a negative one for an entry that is only checked. */
  ids: readonly number[];
  /** Id of the entry of another item; undefined if it has none. */
  findEntry: (number: number) => number | undefined;
  /** Ids that new entries have or stand for. */
  newIds: ReadonlySet<number>;
  describeMissingItem: (number: number) => string;
}

interface CheckedRows {
  /** Drafts by the index of their row; absent for rows with an outcome. */
  drafts: ReadonlyMap<number, EntryDraft>;
  outcomes: readonly (ItemOutcome | undefined)[];
  cells: readonly (readonly CellWrite[])[];
}

/**
 * Locks the entries of rows and those that they refer to, in the order of all writers, and checks the values of the rows. Rows that
 * cannot be written are set aside with all their errors until all others can be written together.
 */
async function checkGroup(context: Context, group: RowGroup): Promise<CheckedRows> {
  const { tx, siteId, type, fields, dateOptions } = context;
  const { rows, ids, findEntry, newIds } = group;
  const outcomes: (ItemOutcome | undefined)[] = rows.map((row) => {
    const missing = listNeededItems(row, fields).find((number) => findEntry(number) === undefined);
    return missing === undefined ? undefined : failed(group.describeMissingItem(missing));
  });
  const cells = rows.map((row, index) =>
    outcomes[index] ? [] : toCells(context, row, { entryId: ids[index] ?? 0, findEntry }),
  );
  const existingIds = ids.filter((id, index) => id > 0 && !newIds.has(id) && !outcomes[index]);
  const referencedIds = listReferencedIds(cells.flat(), type).filter((id) => !newIds.has(id));
  const referencedTypes =
    referencedIds.length > 0
      ? await lockReferencedEntries(tx, siteId, [...existingIds, ...referencedIds])
      : new Map<number, number>();
  for (const id of newIds) referencedTypes.set(id, type.id);
  const fieldIds = listFieldsToRead(
    type,
    cells.flatMap((row) => row.map(({ fieldId }) => fieldId)),
  );
  const existing: ExistingEntries =
    existingIds.length > 0 ? await lockEntries(tx, siteId, type, existingIds, fieldIds) : new Map();
  const missingIds = existingIds.filter((id) => !existing.has(id));
  const deletions = await listDeletions(tx, siteId, missingIds);
  const drafts = new Map<number, EntryDraft>();

  const check = (row: Row, index: number): ItemOutcome | undefined => {
    const entryId = ids[index] ?? 0;
    const isNew = isCreation(row);
    const before = isNew || entryId < 0 ? {} : existing.get(entryId);
    if (!before) return conflict(describeMissing(deletions.get(entryId)));
    const path = `items.${index}`;
    const draft: EntryDraft = {
      entryId,
      isNew,
      path,
      before,
      after: { ...before },
      touched: new Map(),
      ignoreNearDups: false,
    };
    const errors: FieldError[] = [];
    const reasons: string[] = [];
    for (const [at, cell] of (cells[index] ?? []).entries()) {
      const field = fields.get(cell.fieldId);
      if (!field) reasons.push('A field of this row was deleted from the schema');
      else if (isFileField(field.fieldType)) reasons.push(`${field.name}: files cannot be imported`);
      else errors.push(...applyItem(draft, cell, field, `${path}.values.${at}`, dateOptions));
    }
    if (reasons.length === 0 && !isNew && entryId > 0) {
      const outcome = findOutcome(draft, errors, fields, cells[index] ?? []);
      if (outcome && outcome.state !== 'failed') return outcome;
    }
    reasons.push(...describeErrors(errors, fields, cells[index] ?? []));
    drafts.set(index, draft);
    return reasons.length > 0 ? failed(reasons.join('. ')) : undefined;
  };
  for (const [index, row] of rows.entries()) outcomes[index] ??= check(row, index);
  await refuseRows(context, group, { drafts, outcomes, cells, referencedTypes });
  return { drafts, outcomes, cells };
}

/** The values of a row as store requests with what they expect. */
const toCells = (
  { fields, ignoreNearDups }: Context,
  row: Row,
  { entryId, findEntry }: { entryId: number; findEntry: RowGroup['findEntry'] },
): CellWrite[] => {
  const expected = new Map(row.expected?.map(({ fieldId, ...value }) => [fieldId, value]));
  return row.values.map((cell) => ({
    ...resolveValue(cell, fields, (number) => findEntry(number) ?? 0),
    entryId,
    ignoreNearDups,
    ...(expected.has(cell.fieldId) && { expected: expected.get(cell.fieldId) }),
  }));
};

/** Errors of a row in words, each with the name of its field. */
const describeErrors = (
  errors: readonly FieldError[],
  fields: Fields,
  cells: readonly CellWrite[],
): string[] =>
  errors.flatMap((error) => {
    const outcome = toRefusal(error, fields, cells);
    return outcome.state === 'failed' ? [outcome.reason] : [];
  });

/**
 * Sets rows aside that speak against other rows or entries, and those that name them. Also rows with errors of their own are checked
 * against the rules of the whole entry, so that all errors of a row are reported together.
 */
async function refuseRows(
  { tx, siteId, type, fields }: Context,
  { rows, describeMissingItem }: RowGroup,
  checked: {
    drafts: Map<number, EntryDraft>;
    outcomes: (ItemOutcome | undefined)[];
    cells: readonly (readonly CellWrite[])[];
    referencedTypes: ReadonlyMap<number, number>;
  },
): Promise<void> {
  const { drafts, outcomes, cells, referencedTypes } = checked;
  const indexes = new Map(rows.map(({ number }, index) => [number, index]));
  const isRefused = (number: number): boolean => {
    const index = indexes.get(number);
    return index !== undefined && outcomes[index] !== undefined;
  };
  const hasErrors = (index: number): boolean => outcomes[index] !== undefined;
  const refuse = (index: number, reasons: readonly string[]) => {
    const own = outcomes[index];
    const known = own?.state === 'failed' ? [own.reason] : [];
    outcomes[index] = failed([...new Set([...known, ...reasons])].join('. '));
  };
  for (let isFirst = true; ; isFirst = false) {
    const errors = await findDraftErrors(tx, siteId, {
      type,
      // Of two similar names that of a row without errors is kept.
      drafts: [...drafts.keys()]
        .toSorted((one, other) => Number(hasErrors(one)) - Number(hasErrors(other)))
        .flatMap((index) => drafts.get(index) ?? []),
      referencedTypes,
      areFirstKept: true,
    });
    const byIndex = Map.groupBy(errors, ({ path }) => Number(path.split('.')[1]));
    for (const [index, ownErrors] of byIndex)
      refuse(index, describeErrors(ownErrors, fields, cells[index] ?? []));
    let hasChanged = byIndex.size > 0;
    for (const [index, row] of rows.entries()) {
      if (outcomes[index] !== undefined) {
        // The drafts of rows with errors take part only in the first round.
        hasChanged ||= isFirst && drafts.has(index);
        drafts.delete(index);
        continue;
      }
      // Items name earlier ones only, so that one pass finds all that depend on a refused one.
      const lost = listNeededItems(row, fields).find(isRefused);
      if (lost === undefined) continue;
      refuse(index, [describeMissingItem(lost)]);
      drafts.delete(index);
      hasChanged = true;
    }
    if (!hasChanged) return;
  }
}

/** Writes rows in the transaction of their batch. @param items what is known of other items by their numbers */
async function writeRows(
  { tx, caller, record }: ImportBatch,
  context: Context,
  rows: readonly Row[],
  items: ReadonlyMap<number, ImportedItem>,
): Promise<ItemOutcome[]> {
  const { type, siteId, fields } = context;
  const author = getAuthor({ caller });
  const creations = rows.filter(isCreation);
  const reservedIds = creations.length > 0 ? await reserveEntryIds(tx, creations.length) : [];
  const newIds = new Map(creations.map(({ number }, index) => [number, reservedIds[index] ?? 0]));
  const findEntry = (number: number) => newIds.get(number) ?? items.get(number)?.entryId ?? undefined;
  const rowNumbers = new Map(rows.map(({ number, row }) => [number, row]));
  const group: RowGroup = {
    rows,
    ids: rows.map(({ number, entryId, ofItem }) => entryId ?? findEntry(ofItem ?? number) ?? 0),
    findEntry,
    newIds: new Set(reservedIds),
    describeMissingItem: (number) =>
      `Row ${rowNumbers.get(number) ?? items.get(number)?.row ?? 0}, which it refers to, was not imported`,
  };
  const { drafts, outcomes, cells } = await checkGroup(context, group);
  if (drafts.size > 0) {
    const stored = [...drafts.values()];
    await assignCounterNumbers(tx, siteId, type, stored);
    const creating = stored
      .filter(({ isNew }) => isNew)
      .map(({ entryId, after }) => ({ entryId, after, changed: [] }));
    // Before the entries are inserted: their event is prepared meanwhile.
    const [names, at] = await Promise.all([
      loadChangeNames(tx, siteId, type, 'created', creating),
      getChangeTime(tx),
    ]);
    const { created, updated, changedFields } = await storeDrafts(tx, author, type, stored, at);
    await recordEntryChanges(tx, record, { siteId, type, kind: 'created', names }, created);
    await recordEntryChanges(tx, record, { siteId, type, kind: 'updated', changedFields }, updated);
  }
  return rows.map((row, index) => {
    const draft = drafts.get(index);
    if (!draft) return outcomes[index] ?? failed('This row has no values to set');
    const references = (cells[index] ?? []).flatMap(({ fieldId, value }, at) => {
      const named = row.values[at];
      return named && listNamedItems(named, fields).length > 0 ? [{ fieldId, value }] : [];
    });
    const before: ImportedRow = {
      entryId: draft.entryId,
      ...(draft.isNew ? { isNew: true } : { values: listReplaced(draft) }),
      // Read from items, whose values the contract has validated.
      ...(references.length > 0 && { references: references as JobCellValue[] }),
    };
    return { state: 'done', before };
  });
}

/**
 * Check of all rows before the first is written. It compares each row with the rows before it: one entry must not occur twice, nor two
 * nearly equal names, and a row can only name entries that valid rows before it create.
 */
function createPlanCheck() {
  /** Stands for the entry of a valid earlier row; larger than any id in use. */
  const PLACEHOLDER = 2_147_483_647;
  const creations = new Map<number, { row: number; isInvalid: boolean }>();
  const rowByEntry = new Map<number, number>();
  const rowByNearKey = new Map<string, number>();

  const findContradiction = (row: Row, fields: Fields): string[] => {
    const reasons: string[] = [];
    if (row.entryId !== undefined) {
      const other = rowByEntry.get(row.entryId);
      if (other === undefined) rowByEntry.set(row.entryId, row.row);
      else reasons.push(`The same entry is in row ${other}`);
      if (row.ofItem !== undefined) reasons.push('ofItem: cannot be combined with entryId');
    }
    for (const number of listNeededItems(row, fields)) {
      const other = creations.get(number);
      if (!other) reasons.push(`Item ${number}, which it refers to, does not create an entry before it`);
      else if (other.isInvalid) reasons.push(`Row ${other.row}, which it refers to, cannot be imported`);
    }
    return [...new Set(reasons)];
  };

  const findNearName = (draft: EntryDraft, row: Row, { type }: Context): string[] => {
    const { id, name: fieldName } = type.keyField;
    const name = draft.after[id];
    const key = typeof name === 'string' && name !== draft.before[id] ? getNearKey(name) : undefined;
    if (key === undefined) return [];
    const other = rowByNearKey.get(key);
    if (other === undefined) rowByNearKey.set(key, row.row);
    return other === undefined || draft.ignoreNearDups
      ? []
      : [`${fieldName}: nearly the same name is in row ${other}`];
  };

  return async (batch: CheckBatch): Promise<(string | undefined)[]> => {
    const context = await loadContext(batch);
    if (!context) return batch.items.map(() => TYPE_DELETED);
    const rows = listRows(batch);
    const contradictions = rows.map((row) => {
      const reasons = findContradiction(row, context.fields);
      if (isCreation(row)) creations.set(row.number, { row: row.row, isInvalid: reasons.length > 0 });
      return reasons;
    });
    const { drafts, outcomes } = await checkGroup(context, {
      rows,
      ids: rows.map(({ number, entryId }) => entryId ?? -number),
      findEntry: () => PLACEHOLDER,
      newIds: new Set([PLACEHOLDER]),
      describeMissingItem: (number) =>
        `Row ${creations.get(number)?.row ?? 0}, which it refers to, cannot be imported`,
    });
    return rows.map((row, index) => {
      const draft = drafts.get(index);
      const outcome = outcomes[index];
      const reasons = [
        ...(contradictions[index] ?? []),
        ...(outcome?.state === 'failed' ? [outcome.reason] : []),
        ...(draft ? findNearName(draft, row, context) : []),
      ];
      const creation = creations.get(row.number);
      if (creation) creation.isInvalid = reasons.length > 0;
      return reasons.length > 0 ? [...new Set(reasons)].join('. ') : undefined;
    });
  };
}

/** Job that creates and changes entries as the rows of a file say. */
export const importEntriesJob = defineJobKind<EntryImportParameters, EntryImportRow>({
  kind: 'entries.import',
  operation: 'startEntryImport',
  itemSchema: 'EntryImportRow',
  capabilities: ['Read Data'],
  labels: IMPORT_LABELS,
  loadReportColumns,
  fileRows: {
    getHeadings: ({ columns }) => columns,
    getRow: ({ row, cells }) => (row === undefined || !cells ? undefined : { row, cells }),
  },
  wakes: [RECALCULATE_TASK],
  locksSite: () => false,
  async describe({ db, siteId }, { typeId, fileName, sheet }, items) {
    const type = (await loadSchema(db, siteId)).typesById.get(typeId);
    const count = items.length - (await items.countWith('ofItem'));
    return `Import ${formatEntries(type, count)} from ${formatFile({ fileName, sheet })}`;
  },
  startCheck: ({ skipsInvalidRows = false }) => ({ skipsInvalid: skipsInvalidRows, run: createPlanCheck() }),
  async run(batch) {
    const { tx, items, jobId, caller } = batch;
    if (items.length > 1 && JSON.stringify(items.map(({ values }) => values)).length > MAX_BATCH_BYTES)
      throw badRequest([{ path: 'values', message: `are too long for ${items.length} entries at once` }]);
    const context = await loadContext(batch);
    if (!context) return items.map(() => failed(TYPE_DELETED));
    const rows = listRows(batch);
    const own = new Set(batch.itemNumbers);
    const needed = new Set(rows.flatMap((row) => listNeededItems(row, context.fields)));
    const numbers = [...needed].filter((number) => !own.has(number));
    const known = await listImportedItems(tx, { siteId: caller.siteId, jobId }, numbers);
    // Values of entries that other rows of this batch create follow these rows.
    const isLater = ({ ofItem }: Row): boolean => ofItem !== undefined && own.has(ofItem);
    const outcomes = new Map<number, ItemOutcome>();
    for (const group of [rows.filter((row) => !isLater(row)), rows.filter(isLater)]) {
      if (group.length === 0) continue;
      const written = await writeRows(batch, context, group, known);
      for (const [index, outcome] of written.entries()) {
        const row = group[index];
        if (!row) continue;
        outcomes.set(row.number, outcome);
        const before = outcome.state === 'done' ? (outcome.before as ImportedRow) : undefined;
        known.set(row.number, { row: row.row, entryId: before?.entryId ?? row.entryId ?? null });
      }
    }
    return rows.map(({ number }) => outcomes.get(number) ?? failed('This row has no values to set'));
  },
  async retryItems({ tx: db, siteId, jobId }, { typeId }, failedItems) {
    const type = (await loadSchema(db, siteId)).typesById.get(typeId);
    const fields = type ? getFields(type) : new Map<number, SchemaField>();
    const newNumbers = new Map(failedItems.map(({ itemNo }, index) => [itemNo, index + 1]));
    const needed = new Set(failedItems.flatMap(({ input }) => listNeededItems(input, fields)));
    const known = await listImportedItems(
      db,
      { siteId, jobId },
      [...needed].filter((number) => !newNumbers.has(number)),
    );
    const getId = (number: number): number => {
      const renumbered = newNumbers.get(number);
      return renumbered === undefined ? (known.get(number)?.entryId ?? -number) : -renumbered;
    };
    return failedItems.map(({ input: { ofItem, ...row } }) => {
      const values = row.values.map((cell) => resolveValue(cell, fields, getId));
      if (ofItem === undefined) return { ...row, values };
      const id = getId(ofItem);
      return id > 0 ? { ...row, values, entryId: id } : { ...row, values, ofItem: -id };
    });
  },
  invertsBackwards: true,
  invert: invertImport,
  joinInverses: joinUndos,
});

/** The plan of a request. @throws ApiError 400 without rows, 404 for an unknown type */
async function planEntryImport({
  db,
  caller,
  body,
}: Pick<Call<'startEntryImport'>, 'db' | 'caller' | 'body'> & { db: Db }) {
  const { entryTypeId, fileName, sheet, columns, ignoreNearDups = false, skipsInvalidRows } = body;
  const items = getListedItems<'rows', EntryImportRow>(body, 'rows');
  const type = requireType(await loadSchema(db, caller.siteId), String(entryTypeId));
  const parameters: EntryImportParameters = {
    typeId: type.id,
    fileName,
    sheet,
    columns,
    ignoreNearDups,
    skipsInvalidRows,
  };
  return { kind: 'entries.import', parameters, items };
}

export const entryImportHandlers: Handlers<'startEntryImport'> = {
  startEntryImport: async (call) => startJob(call, await planEntryImport(call)),
};
