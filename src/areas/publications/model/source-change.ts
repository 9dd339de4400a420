import { queryOptions } from '@tanstack/react-query';
import type { EntryChange, PublicationEvent, UserChange } from '../../../../contract/generated/types.gen.ts';
import { listUserChanges } from '../../../api/generated/sdk/activity.gen.ts';
import { listEntryChanges } from '../../../api/generated/sdk/entry-history.gen.ts';
import type { MessageEntity } from './messages.ts';

/** Rows that are read until the one of a message is found. */
const PAGE_SIZE = 100;
const MAX_PAGES = 5;
/** A message gets its time with its offset, at the end of the transaction of the change; the longest transactions take minutes. */
const MAX_DELAY_MS = 10 * 60_000;

/** Whether a stored row can be of the transaction that wrote the message. */
const isWithinDelay = (at: string, { modifiedAt }: PublicationEvent): boolean => {
  const delay = Date.parse(modifiedAt) - Date.parse(at);
  return delay >= 0 && delay <= MAX_DELAY_MS;
};

/** Author and proxy of the message, as rows of the history have them. */
const hasAuthor = (
  event: PublicationEvent,
  userId: number | null | undefined,
  proxyId: number | null | undefined,
) => (event.modifiedById ?? null) === (userId ?? null) && (event.proxyUserId ?? null) === (proxyId ?? null);

/** Whether an entry change is the one that the message reports: time, author, kind and fields agree. */
export function matchesMessage(change: EntryChange, entity: MessageEntity, event: PublicationEvent): boolean {
  if (!isWithinDelay(change.at, event)) return false;
  if (change.kind !== 'calculated' && !hasAuthor(event, change.by?.id, change.proxy?.id)) return false;
  if (entity.kind === 'created') return change.kind === 'created' || change.kind === 'restored';
  if (entity.kind === 'deleted') return change.kind === 'deleted' || change.kind === 'merged';
  const names = new Set(entity.fields.map(({ apiName }) => apiName));
  return change.fields?.some((apiName) => names.has(apiName)) ?? false;
}

/**
 * The change of the history that a message reports; null if it is not among the newest changes of the entry. The service stores
 * no common id: the newest change before the message counts that has its author and its fields.
 */
export const entryChangeQuery = (event: PublicationEvent, entity: MessageEntity) =>
  queryOptions({
    queryKey: [{ _id: 'listEntryChanges', eventId: event.eventId, entryId: entity.id }],
    async queryFn({ signal }): Promise<EntryChange | null> {
      let cursor: string | undefined;
      for (let page = 0; page < MAX_PAGES; page += 1) {
        const { data } = await listEntryChanges({
          path: { entryTypeId: String(entity.typeId), entryId: entity.id ?? 0 },
          query: { limit: PAGE_SIZE, ...(cursor !== undefined && { cursor }) },
          signal,
        });
        const found = data.changes.find((change) => matchesMessage(change, entity, event));
        if (found) return found;
        cursor = data.next;
        if (cursor === undefined) return null;
      }
      return null;
    },
    enabled: entity.id !== undefined && entity.typeId !== undefined,
    staleTime: Infinity,
  });

/** The row of the audit log of a user that a message reports, found as `entryChangeQuery` does. */
export const userChangeQuery = (event: PublicationEvent, userId: number) =>
  queryOptions({
    queryKey: [{ _id: 'listUserChanges', eventId: event.eventId, userId }],
    async queryFn({ signal }): Promise<UserChange | null> {
      for (let pageNumber = 1; pageNumber <= MAX_PAGES; pageNumber += 1) {
        const { data } = await listUserChanges({
          path: { userId },
          query: { pageNumber, pageSize: PAGE_SIZE },
          signal,
        });
        const found = data.find(
          ({ date, changedBy, proxyUserId }) =>
            isWithinDelay(date, event) && hasAuthor(event, changedBy, proxyUserId),
        );
        if (found) return found;
        if (data.length < PAGE_SIZE) return null;
      }
      return null;
    },
    staleTime: Infinity,
  });
