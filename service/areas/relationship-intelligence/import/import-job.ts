import { Readable } from 'node:stream';
import type {
  ImportKind,
  ImportResult,
  RelationshipImportItem,
} from '../../../../contract/generated/types.gen.ts';
import { badRequest } from '../../../kernel/api-error.ts';
import { type Contract, loadContract } from '../../../kernel/http/contract.ts';
import { USER_LABELS } from '../../../kernel/jobs/item-labels.store.ts';
import { defineJobKind, type ItemOutcome } from '../../../kernel/jobs/job-kind.ts';
import { pluralize } from '../../../kernel/numbers.ts';
import { CONTACTS_TASK } from '../relations/contacts.ts';
import { IMPORT_LIMITS } from './item-reader.ts';
import { importWithin } from './run-import.ts';

interface Parameters {
  kind: ImportKind;
  fileName?: string;
}

/** Items of a transaction: at most 10,000 e-mails. */
const ITEMS_PER_BATCH = 10;

let contract: Contract | undefined;
const getContract = (): Contract =>
  (contract ??= loadContract(new URL('../../../../contract/openapi.json', import.meta.url)));

/**
 * Job that imports e-mails or meetings. Its items are the import items of requests; it takes its requests from the budget of the site, and
 * waits when that is used up.
 */
export const importJob = defineJobKind<Parameters, RelationshipImportItem>({
  kind: 'relationships.import',
  operation: 'startRelationshipImport',
  itemSchema: 'RelationshipImportItem',
  batchItems: ITEMS_PER_BATCH,
  wakes: [CONTACTS_TASK],
  labels: USER_LABELS,
  locksSite: () => false,
  describe: (_context, { kind, fileName }, items) =>
    `Import ${kind === 'emails' ? 'e-mails' : 'meetings'}${fileName ? ` from ${fileName}` : ''} in ${pluralize(items.length, 'batch', 'batches')}`,
  async run({ tx, caller, record, jobId, parameters: { kind }, items }) {
    const outcomes: ItemOutcome[] = [];
    for (const group of groupItems(items, kind)) {
      const body = group.map((item) => ({ userId: item.userId, handlerType: 1, [kind]: listOf(item, kind) }));
      const results = await importWithin(tx, {
        kind,
        caller,
        record,
        jobId,
        contract: getContract(),
        stream: Readable.from(writeList(body)),
      });
      outcomes.push(...results.map(toOutcome));
    }
    return outcomes;
  },
});

/** The list of an item. @throws ApiError 400 if it has the other one */
export function listOf(item: RelationshipImportItem, kind: ImportKind): readonly object[] {
  const list = item[kind];
  if (!list) throw badRequest([{ path: kind, message: `is required in a job that imports ${kind}` }]);
  return list;
}

/** Parts of the items that are legal requests: a user occurs once in each. */
function groupItems(items: readonly RelationshipImportItem[], kind: ImportKind): RelationshipImportItem[][] {
  const groups: RelationshipImportItem[][] = [];
  let users = new Set<number>();
  let count = 0;
  for (const item of items) {
    const { length } = listOf(item, kind);
    const group = groups.at(-1);
    if (group && !users.has(item.userId) && count + length <= IMPORT_LIMITS[kind].perRequest)
      group.push(item);
    else {
      groups.push([item]);
      users = new Set();
      count = 0;
    }
    users.add(item.userId);
    count += length;
  }
  return groups;
}

/** The bytes of a JSON list, one item at a time. */
function* writeList(items: readonly object[]): Generator<Buffer> {
  for (const [index, item] of items.entries())
    yield Buffer.from(`${index === 0 ? '[' : ','}${JSON.stringify(item)}`);
  yield Buffer.from(items.length === 0 ? '[]' : ']');
}

const toOutcome = ({ status, statusText, operationStats }: ImportResult): ItemOutcome => {
  if (status === 2) return { state: 'failed', reason: statusText };
  const { added, alreadyProcessed, skipped } = operationStats;
  return added === 0
    ? { state: 'unchanged' }
    : { state: 'done', before: { added, alreadyProcessed, skipped } };
};
