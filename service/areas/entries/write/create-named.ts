import { badRequest } from '../../../kernel/api-error.ts';
import type { Recorder } from '../../../kernel/audit/change.ts';
import type { Tx } from '../../../kernel/db/database.ts';
import { findEntryType, lockSchemaShared } from '../../schema/index.ts';
import { buildDrafts } from './entry-drafts.ts';
import { assignCounterNumbers, findDraftErrors, recordEntryChanges, storeDrafts } from './write-entries.ts';
import type { Author } from './write.store.ts';

const UTC = { user: 'UTC', site: 'UTC' };

/**
 * Creates entries with a name and one text each, in the transaction of the change that needs them. Similar names are allowed.
 * @returns the ids in the order of `entries`
 * @throws ApiError 400 if the type no longer exists, or requires other values
 */
export async function createNamedEntries(
  tx: Tx,
  author: Author,
  { typeId, textFieldId }: { typeId: number; textFieldId: number },
  entries: readonly { name: string; text: string }[],
  record: Recorder,
): Promise<number[]> {
  const type = findEntryType(await lockSchemaShared(tx, author.siteId), String(typeId));
  if (!type) throw badRequest([{ path: 'entryTypeId', message: `entry type ${typeId} does not exist` }]);
  const items = entries.flatMap(({ name, text }, index) => {
    const entryId = -index - 1;
    const written = { entryId, fieldId: textFieldId, value: text, ignoreNearDups: true };
    return textFieldId === type.keyField.id
      ? [written]
      : [{ entryId, fieldId: type.keyField.id, value: name, ignoreNearDups: true }, written];
  });
  const { drafts: draftsById, errors } = buildDrafts(
    items,
    type,
    new Map(),
    { behavior: 0, zones: UTC },
    (id) => `Entry ${id} does not exist`,
  );
  const drafts = [...draftsById.values()];
  const found = [
    ...errors,
    ...(await findDraftErrors(tx, author.siteId, { type, drafts, referencedTypes: new Map() })),
  ];
  if (found.length > 0) throw badRequest(found);
  await assignCounterNumbers(tx, author.siteId, type, drafts);
  const { storedIds, created } = await storeDrafts(tx, author, type, drafts);
  await recordEntryChanges(tx, record, { siteId: author.siteId, type, kind: 'created' }, created);
  return entries.map((_, index) => storedIds.get(-index - 1) ?? 0);
}
