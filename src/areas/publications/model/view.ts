import { isTimestamp } from '../../../lib/dates/timestamps.ts';
import { parseId } from '../../../lib/ids.ts';
import { formatList, parseList, readSearchText } from '../../../lib/search-params.ts';
import type { RawSearch } from '../../../lib/search-params.ts';

const TABS = ['messages', 'schema', 'use'] as const;

/** State of the page of a topic in its URL; without a tab, its fields are shown. */
export interface TopicView {
  tab?: (typeof TABS)[number];
  edit?: true;
}

/** Parses the search parameters; invalid values are ignored. */
export function parseTopicView({ tab, edit }: RawSearch<TopicView>): TopicView {
  const known = TABS.find((one) => one === tab);
  return { ...(known && { tab: known }), ...(edit === true && { edit }) };
}

const toId = (value: unknown): number | undefined => parseId(readSearchText(value));

/** State of the list of consumers in its URL: the id of the topic that they read. */
export interface ConsumersView {
  topic?: number;
}

/** Parses the search parameters of the list of consumers. */
export function parseConsumersView({ topic }: RawSearch<ConsumersView>): ConsumersView {
  const id = toId(topic);
  return id === undefined ? {} : { topic: id };
}

const ENTITY_TYPES = /^([1-9]\d{0,9}|Users|UserGroups|EntryLists)$/;

/** State of the live tail in its URL. */
export interface TailView {
  /** Name of the topic. */
  topic: string;
  /** Offset or time at which it begins; absent for new events. */
  from?: number;
  since?: string;
  /** Kinds, joined by hyphens. */
  kind?: string | number;
  /** Ids of entry types or kinds of entities, joined by hyphens. */
  type?: string | number;
  /** API names of fields, joined by commas. */
  field?: string;
  by?: number;
  proxied?: true;
  calculated?: 'hidden' | 'only';
}

const DEFAULT_TOPIC = 'default-data';
const MAX_FIELDS_TEXT = 2_000;

/** Parses the search parameters of the live tail; invalid values are ignored. */
export function parseTailView(search: RawSearch<TailView>): TailView {
  const { topic, from, since, kind, type, field, by, proxied, calculated } = search;
  const author = toId(by);
  const kinds = formatList(parseList(kind, /^(created|updated|deleted)$/));
  const types = formatList(parseList(type, ENTITY_TYPES));
  return {
    topic: readSearchText(topic).slice(0, 100) || DEFAULT_TOPIC,
    ...(typeof from === 'number' && Number.isSafeInteger(from) && from >= 0 && { from }),
    ...(from === undefined && isTimestamp(since) && { since }),
    ...(kinds !== undefined && { kind: kinds }),
    ...(types !== undefined && { type: types }),
    ...(typeof field === 'string' && field !== '' && { field: field.slice(0, MAX_FIELDS_TEXT) }),
    ...(author !== undefined && { by: author }),
    ...(proxied === true && { proxied }),
    ...((calculated === 'hidden' || calculated === 'only') && { calculated }),
  };
}

/** Where the page of a message finds it: at an offset, or as the message of a change of an entity at a time. */
export interface MessageView {
  topic: string;
  offset?: number;
  at?: string;
  /** Id of the entry, user or group. */
  entity?: number;
}

/** Parses the search parameters of the page of a message. */
export function parseMessageView({ topic, offset, at, entity }: RawSearch<MessageView>): MessageView {
  const id = toId(entity);
  return {
    topic: readSearchText(topic).slice(0, 100) || DEFAULT_TOPIC,
    ...(typeof offset === 'number' && Number.isSafeInteger(offset) && offset >= 0 && { offset }),
    ...(isTimestamp(at) && { at }),
    ...(id !== undefined && { entity: id }),
  };
}
