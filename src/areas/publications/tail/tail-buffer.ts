import type { PublicationEvent } from '../../../../contract/generated/types.gen.ts';
import { ENTITY_KINDS, summarize } from '../model/messages.ts';
import type { EntityKind, MessageSummary } from '../model/messages.ts';
import type { TailView } from '../model/view.ts';

/** Events that are kept for display; older ones are dropped. */
const MAX_EVENTS = 2_000;
/** Their size together, in characters of JSON. */
const MAX_CHARACTERS = 16_000_000;

export interface TailEvent {
  type: 'event';
  offset: number;
  event: PublicationEvent;
  summary: MessageSummary;
  /** Characters of its JSON. */
  size: number;
}

/** Offsets that did not arrive. */
export interface TailGap {
  type: 'gap';
  from: number;
  to: number;
  /** The service deleted the events before they were sent; others can be read again. */
  isDeleted: boolean;
}

type TailItem = TailEvent | TailGap;

const getFirst = (item: TailItem): number => (item.type === 'gap' ? item.from : item.offset);

/**
 * Events of a topic in order, oldest first, with the offsets that are missing between them: offsets have no gaps (shapes 7),
 * so that one that is skipped is a fault to be seen. Bounded in number and size.
 */
export class TailBuffer {
  #items: TailItem[] = [];
  #characters = 0;
  #events = 0;
  /** Offset that comes next; undefined before the first event of a tail with an unknown start. */
  next: number | undefined;
  /** Events dropped because of the bounds. */
  dropped = 0;
  /** Events received twice, which order and acknowledgement rule out. */
  repeated = 0;

  constructor(next?: number) {
    this.next = next;
  }

  get items(): readonly TailItem[] {
    return this.#items;
  }

  push(event: PublicationEvent): void {
    const offset = event.topicOffset;
    if (this.next !== undefined && offset < this.next) {
      this.repeated += 1;
      return;
    }
    if (this.next !== undefined && offset > this.next) this.addGap(this.next, offset - 1, false);
    this.#items.push(this.#count(createTailEvent(event)));
    this.next = offset + 1;
    this.#trim();
  }

  /** Marks offsets that did not arrive; a gap continues one before it. */
  addGap(from: number, to: number, isDeleted: boolean): void {
    const last = this.#items.at(-1);
    if (last?.type === 'gap' && last.isDeleted === isDeleted && last.to + 1 === from)
      this.#items[this.#items.length - 1] = { ...last, to };
    else this.#items.push({ type: 'gap', from, to, isDeleted });
    this.next = Math.max(this.next ?? 0, to + 1);
  }

  /** Puts events that were read again into a gap; what is still missing stays marked. */
  fillGap(gap: TailGap, events: readonly PublicationEvent[]): void {
    const index = this.#items.indexOf(gap);
    if (index === -1) return;
    const found = events
      .filter(({ topicOffset }) => topicOffset >= gap.from && topicOffset <= gap.to)
      .toSorted((a, b) => a.topicOffset - b.topicOffset);
    // The oldest offsets are missing once they were deleted.
    const first = found.at(0)?.topicOffset ?? gap.to + 1;
    const end = (found.at(-1)?.topicOffset ?? gap.to) + 1;
    this.#items.splice(
      index,
      1,
      ...(first > gap.from ? [{ ...gap, to: first - 1, isDeleted: true }] : []),
      ...found.map((event) => this.#count(createTailEvent(event))),
      ...(end <= gap.to ? [{ ...gap, from: end }] : []),
    );
    this.#trim();
  }

  #count(item: TailEvent): TailEvent {
    this.#events += 1;
    this.#characters += item.size;
    return item;
  }

  #trim(): void {
    let count = 0;
    while (this.#events - 1 > 0 && (this.#events > MAX_EVENTS || this.#characters > MAX_CHARACTERS)) {
      const item = this.#items[count];
      count += 1;
      if (item?.type !== 'event') continue;
      this.#events -= 1;
      this.#characters -= item.size;
      this.dropped += 1;
    }
    if (count > 0) this.#items.splice(0, count);
  }
}

const createTailEvent = (event: PublicationEvent): TailEvent => ({
  type: 'event',
  offset: event.topicOffset,
  event,
  summary: summarize(event),
  size: JSON.stringify(event).length,
});

/** Filters of the tail; empty lists for all. */
export interface TailFilter {
  kinds: readonly EntityKind[];
  /** Ids of entry types as text, or kinds of entities (`Users`). */
  types: readonly string[];
  /** API names of fields. */
  fields: readonly string[];
  /** Id of the user who made the change or for whom a proxy made it. */
  authorId: number | undefined;
  /** Only changes that a proxy made for somebody else. */
  onlyProxied: boolean;
  calculated: 'all' | 'hidden' | 'only';
}

/** The filters that the URL of a tail has. */
export const toTailFilter = ({
  kind = '',
  type = '',
  field = '',
  by,
  proxied,
  calculated,
}: TailView): TailFilter => ({
  kinds: ENTITY_KINDS.filter((one) => String(kind).split('-').includes(one)),
  types: type === '' ? [] : String(type).split('-'),
  fields: field === '' ? [] : field.split(','),
  authorId: by,
  onlyProxied: proxied === true,
  calculated: calculated ?? 'all',
});

const meets = <Value>(wanted: readonly Value[], found: ReadonlySet<Value>): boolean =>
  wanted.length === 0 || wanted.some((value) => found.has(value));

/** Whether a message meets all filters. */
export function matchesFilter({ event, summary }: TailEvent, filter: TailFilter): boolean {
  const { kinds, types, fields, authorId, onlyProxied, calculated } = filter;
  const isProxied = typeof event.proxyUserId === 'number';
  return (
    meets(kinds, summary.kinds) &&
    meets(types, summary.types) &&
    meets(fields, summary.fields) &&
    (authorId === undefined || event.modifiedById === authorId || event.proxyUserId === authorId) &&
    (!onlyProxied || isProxied) &&
    (calculated === 'all' || (event.isCalculated === true) === (calculated === 'only'))
  );
}

/** Many similar events in a short time, shown as one row. */
export interface TailBurst {
  type: 'burst';
  /** Newest first. */
  events: readonly TailEvent[];
}

export type TailRow = TailEvent | TailGap | TailBurst;

/** Similar events of the same author that follow each other within this time belong to a burst. */
const BURST_PAUSE_MS = 2_000;
const MIN_BURST = 10;

/** Rows of the tail, newest first. `expanded` has the oldest offsets of the bursts that are shown event by event. */
export function buildRows(
  items: readonly TailItem[],
  filter: TailFilter,
  expanded: ReadonlySet<number>,
): TailRow[] {
  const rows: TailRow[] = [];
  let run: TailEvent[] = [];
  const flush = () => {
    const oldest = run.at(-1);
    if (oldest && run.length >= MIN_BURST && !expanded.has(oldest.offset))
      rows.push({ type: 'burst', events: run });
    else rows.push(...run);
    run = [];
  };
  for (const item of items.toReversed()) {
    if (item.type === 'event') {
      if (!matchesFilter(item, filter)) continue;
      const newer = run.at(-1);
      if (newer && !isSimilar(newer, item)) flush();
      run.push(item);
    } else {
      flush();
      rows.push(item);
    }
  }
  flush();
  return rows;
}

function isSimilar(a: TailEvent, b: TailEvent): boolean {
  return (
    a.event.modifiedById === b.event.modifiedById &&
    a.event.proxyUserId === b.event.proxyUserId &&
    a.event.isCalculated === b.event.isCalculated &&
    Math.abs(Date.parse(a.event.modifiedAt) - Date.parse(b.event.modifiedAt)) <= BURST_PAUSE_MS &&
    hasSameItems(a.summary.kinds, b.summary.kinds) &&
    hasSameItems(a.summary.types, b.summary.types)
  );
}

const hasSameItems = <Value>(a: ReadonlySet<Value>, b: ReadonlySet<Value>): boolean =>
  a.size === b.size && a.isSubsetOf(b);

/** Id of a row: stable while rows are added above and below. */
export function getRowId(row: TailRow): string {
  if (row.type === 'burst') return `burst ${row.events.at(-1)?.offset ?? 0}`;
  return `${row.type} ${getFirst(row)}`;
}

/** Events and gaps in steps of the last minutes, for a chart. */
export interface TailBar {
  events: number;
  hasGap: boolean;
}

/** Counts events by `stepMs` up to `end`; a gap stands in the step of the event after it. */
export function countBySteps(
  items: readonly TailItem[],
  { end, stepMs, steps }: { end: number; stepMs: number; steps: number },
): TailBar[] {
  const bars = Array.from({ length: steps }, (): TailBar => ({ events: 0, hasGap: false }));
  const start = end - stepMs * steps;
  let hasGap = false;
  for (const item of items) {
    if (item.type === 'gap') {
      hasGap = true;
      continue;
    }
    const at = Math.floor((Date.parse(item.event.modifiedAt) - start) / stepMs);
    const bar = bars[Math.min(at, steps - 1)];
    if (bar) {
      bar.events += 1;
      bar.hasGap ||= hasGap;
    }
    hasGap = false;
  }
  return bars;
}
