/** Rows of a batch as text that the database takes without any work of the main thread. */
import { DIRECTION, type ItemBatch } from './item-reader.ts';

/** Names the items of an import within the database. */
export interface ItemOwner {
  siteId: number;
  /** ri_item.kind. */
  kind: number;
}

/** Columns of a parameter: literals of PostgreSQL arrays. */
interface RelationColumns {
  users: string;
  addresses: string;
  names: string;
  first: string;
  last: string;
  sent: string;
  received: string;
  meetings: string;
}

/** What a batch writes if the database has none of its items. */
export interface CopyBatch {
  /** Rows of ri_item and ri_item_user in the text format of COPY. */
  items: Uint8Array<ArrayBuffer>;
  links: Uint8Array<ArrayBuffer>;
  relations: RelationColumns;
  /** Number of added items by user. */
  added: { userId: number; count: number }[];
}

/** Contacts of a user with an address within a batch. */
interface Relation {
  userId: number;
  address: string;
  name: string;
  namedAt: string;
  first: string;
  last: string;
  /** Numbers by direction. */
  counts: Record<number, number>;
}

const quote = (text: string): string =>
  /["\\]/.test(text) ? `"${text.replaceAll(/["\\]/g, String.raw`\$&`)}"` : `"${text}"`;

const toLiteral = (values: readonly (string | number)[]): string => `{${values.join(',')}}`;

/** The lines of a text as the literal of an array within a row of COPY. */
function toField(lines: string): string {
  if (lines === '') return '{}';
  if (/["\\\t\r]/.test(lines))
    return toLiteral(lines.split('\n').map(quote))
      .replaceAll('\\', String.raw`\\`)
      .replaceAll('\t', String.raw`\t`)
      .replaceAll('\r', String.raw`\r`);
  return `{"${lines.replaceAll('\n', '","')}"}`;
}

/** Encodes the text with memory of its own, so that it can be handed to another thread. */
function encode(text: string): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(Buffer.byteLength(text));
  Buffer.from(bytes.buffer).write(text);
  return bytes;
}

/** Formats the rows of a batch whose items the database does not have yet. */
export function createCopyBatch(rows: ItemBatch, { siteId, kind }: ItemOwner): CopyBatch {
  const added = new Map<number, number>();
  const relations = new Map<number, Map<string, Relation>>();
  let items = '';
  let links = '';
  for (let index = 0; index < rows.keys.length; index += 1) {
    const key = rows.keys[index] ?? '';
    const userId = rows.users[index] ?? 0;
    const time = rows.times[index] ?? '';
    const counterparts = rows.counterparts[index] ?? '';
    const direction = rows.directions[index] ?? DIRECTION.none;
    if (rows.isFirst[index]) {
      added.set(userId, (added.get(userId) ?? 0) + 1);
      items += `${siteId}\t${kind}\t${key}\t${time}\t${rows.modified[index]}\t${rows.contents[index]}\t${toField(rows.addresses[index] ?? '')}\n`;
    }
    links += `${siteId}\t${userId}\t${kind}\t${key}\t${time}\t${direction}\t${toField(counterparts)}\n`;
    if (counterparts === '') continue;
    let ofUser = relations.get(userId);
    if (!ofUser) relations.set(userId, (ofUser = new Map()));
    const names = (rows.names[index] ?? '').split('\n');
    for (const [at, address] of counterparts.split('\n').entries())
      addContact(ofUser, { userId, address, name: names[at] ?? '', time, direction });
  }
  return {
    items: encode(items),
    links: encode(links),
    relations: formatRelations([...relations.values()].flatMap((ofUser) => [...ofUser.values()])),
    added: [...added].map(([userId, count]) => ({ userId, count })),
  };
}

/** @param relations those of the user by address */
function addContact(
  relations: Map<string, Relation>,
  contact: { userId: number; address: string; name: string; time: string; direction: number },
): void {
  const { userId, address, name, time, direction } = contact;
  const relation = relations.get(address);
  if (!relation) {
    const counts = { [direction]: 1 };
    relations.set(address, { userId, address, name, namedAt: time, first: time, last: time, counts });
    return;
  }
  // The times are in UTC and equally long, so that their order is that of their texts.
  if (time < relation.first) relation.first = time;
  if (time > relation.last) relation.last = time;
  if (name !== '' && (relation.name === '' || time > relation.namedAt)) {
    relation.name = name;
    relation.namedAt = time;
  }
  relation.counts[direction] = (relation.counts[direction] ?? 0) + 1;
}

/** In the order of the primary key: imports that wait for each other's rows do so in the same order. */
function formatRelations(relations: Relation[]): RelationColumns {
  relations.sort((a, b) => a.userId - b.userId || (a.address < b.address ? -1 : 1));
  const column = (get: (relation: Relation) => string | number) => toLiteral(relations.map(get));
  const count = (direction: number) => column(({ counts }) => counts[direction] ?? 0);
  return {
    users: column(({ userId }) => userId),
    addresses: column(({ address }) => quote(address)),
    names: column(({ name }) => quote(name)),
    first: column(({ first }) => `"${first}"`),
    last: column(({ last }) => `"${last}"`),
    sent: count(DIRECTION.sent),
    received: count(DIRECTION.received),
    meetings: count(DIRECTION.meeting),
  };
}
