/**
 * PostgreSQL's wire protocol, as much of it as the embedded database needs: a statement with its parameters in one go, and
 * all that is answered to it. PGlite's own `query` asks in six turns, makes objects of every message, and plans anew.
 */
import type { Reply } from './dialect.ts';
import { DbError, faults } from './errors.ts';
import { joined } from './pglite-messages.ts';
import { decoderOf } from './values.ts';

/** A statement that the session keeps the plan of, or the one it plans for this time alone, which has no name. */
interface Asked {
  sql: string;
  parameters: readonly (string | null)[];
  name?: string | undefined;
  /** The session knows the name. */
  isPlanned?: boolean;
  /** Names that it may forget. */
  forgotten?: readonly string[];
}

const int16 = (value: number): Buffer => {
  const bytes = Buffer.allocUnsafe(2);
  bytes.writeUInt16BE(value);
  return bytes;
};
const int32 = (value: number): Buffer => {
  const bytes = Buffer.allocUnsafe(4);
  bytes.writeInt32BE(value);
  return bytes;
};
const ended = (text: string): Buffer => Buffer.from(`${text}\0`);

const lengthOf = (parts: readonly Buffer[]): number => parts.reduce((sum, part) => sum + part.length, 0);
const message = (kind: string, body: readonly Buffer[]): Buffer[] => [
  Buffer.from(kind),
  int32(4 + lengthOf(body)),
  ...body,
];

/** As many parameters as the protocol counts. */
const MOST_PARAMETERS = 65_535;

function valueOf(parameter: string | null): Buffer[] {
  if (parameter === null) return [int32(-1)];
  const bytes = Buffer.from(parameter);
  return [int32(bytes.length), bytes];
}

const forget = (name: string): Buffer[] => message('C', [ended(`S${name}`)]);

/** Which statement is meant, with its values. */
function bound(name: string, parameters: readonly (string | null)[]): Buffer[] {
  if (parameters.length > MOST_PARAMETERS) {
    const text = `A statement takes ${MOST_PARAMETERS} parameters, not ${parameters.length}`;
    throw new DbError(text, { code: faults.tooMany });
  }
  const values = parameters.flatMap(valueOf);
  return message('B', [ended(''), ended(name), int16(0), int16(parameters.length), ...values, int16(0)]);
}

/** The messages of one statement, in memory of their own: that can be handed over to another thread without a copy. */
export function askedBytes(asked: Asked): Uint8Array<ArrayBuffer> {
  const { sql, parameters, name = '', isPlanned = false, forgotten = [] } = asked;
  return joined([
    ...forgotten.flatMap(forget),
    // A name whose statement failed may or may not be known: forgotten, it is not in the way.
    ...(name === '' || isPlanned ? [] : forget(name)),
    ...(isPlanned ? [] : message('P', [ended(name), ended(sql), int16(0)])),
    ...bound(name, parameters),
    ...message('D', [ended('P')]),
    ...message('E', [ended(''), int32(0)]),
    ...message('S', []),
  ]);
}

/** Reads one message's parts in their order. */
class Reader {
  readonly #bytes: Buffer;
  #at: number;

  constructor(bytes: Buffer, at: number) {
    this.#bytes = bytes;
    this.#at = at;
  }

  int16(): number {
    this.#at += 2;
    return this.#bytes.readInt16BE(this.#at - 2);
  }

  int32(): number {
    this.#at += 4;
    return this.#bytes.readInt32BE(this.#at - 4);
  }

  /** Up to the zero that ends it. */
  ended(): string {
    const end = this.#bytes.indexOf(0, this.#at);
    const text = this.#bytes.toString('utf8', this.#at, end);
    this.#at = end + 1;
    return text;
  }

  /** A value; null where there is none. */
  value(): string | null {
    const length = this.int32();
    if (length === -1) return null;
    this.#at += length;
    return this.#bytes.toString('utf8', this.#at - length, this.#at);
  }

  skip(count: number): void {
    this.#at += count;
  }
}

interface Column {
  name: string;
  read: (text: string) => unknown;
}

/** Of each column its table and number (6 bytes), the size and modifier of its type and its format (8) are of no use. */
function columnsIn(reader: Reader): Column[] {
  return Array.from({ length: reader.int16() }, () => {
    const name = reader.ended();
    reader.skip(6);
    const read = decoderOf(reader.int32());
    reader.skip(8);
    return { name, read };
  });
}

function rowIn(reader: Reader, columns: readonly Column[]): Record<string, unknown> {
  const row: Record<string, unknown> = {};
  reader.skip(2);
  for (const { name, read } of columns) {
    const text = reader.value();
    row[name] = text === null ? null : read(text);
  }
  return row;
}

function faultIn(reader: Reader): DbError {
  const parts = new Map<string, string>();
  for (let part = reader.ended(); part !== ''; part = reader.ended())
    parts.set(part.charAt(0), part.slice(1));
  // As where the log cannot be written: a server would end all its sessions and begin anew.
  const isEnd = ['FATAL', 'PANIC'].includes(parts.get('V') ?? '');
  return new DbError(parts.get('M') ?? 'The database failed', {
    code: isEnd ? faults.lost : (parts.get('C') ?? faults.lost),
    detail: parts.get('D'),
    table: parts.get('t'),
    column: parts.get('c'),
    constraint: parts.get('n'),
  });
}

/** "INSERT 0 5", "UPDATE 3", "COMMIT": the count of what was written stands last. */
const written = (tag: string): number =>
  /^(INSERT|UPDATE|DELETE|MERGE) /.test(tag) ? Number(tag.slice(tag.lastIndexOf(' '))) : 0;

/** What a statement was answered; throws what the database has against it, as a lost connection what it does not survive. */
export function readReply(given: Uint8Array): Reply {
  const bytes = Buffer.from(given.buffer, given.byteOffset, given.byteLength);
  const rows: Record<string, unknown>[] = [];
  let columns: Column[] = [];
  let tag: string | undefined;
  for (let at = 0; at < bytes.length; at += 1 + bytes.readInt32BE(at + 1)) {
    const kind = String.fromCharCode(bytes.readUInt8(at));
    const reader = new Reader(bytes, at + 5);
    if (kind === 'E') throw faultIn(reader);
    if (kind === 'T') columns = columnsIn(reader);
    if (kind === 'D') rows.push(rowIn(reader, columns));
    if (kind === 'C') tag = reader.ended();
    // A statement without any words in it.
    if (kind === 'I') tag = '';
  }
  if (tag === undefined)
    throw new DbError('The embedded database did not answer to the end', { code: faults.lost });
  return { rows, command: tag.split(' ', 1).join(), affected: written(tag) };
}
