import { change, type Recorder } from '../../../kernel/audit/change.ts';
import type { Db, Tx } from '../../../kernel/db/database.ts';
import { createItemTask } from '../../../kernel/tasks/run-in-turns.ts';
import type { ScheduledTask } from '../../../kernel/tasks/scheduled-tasks.ts';
import { createNamedEntries } from '../../entries/index.ts';
import { loadSettings, lockAgainstErasure, type StoredSettings } from '../settings/settings.store.ts';
import * as store from './contacts.store.ts';
import { findLinkedEntries } from './relations.store.ts';

/** Name of the task that links relationships with contacts. */
export const CONTACTS_TASK = 'relationship contacts';
const MINUTE_MS = 60_000;
const ADDRESSES_PER_STEP = 200;

interface Target {
  typeId: number;
  textFieldId: number;
}

const toTarget = ({ contactEntryTypeId, contactEmailFieldId }: StoredSettings): Target | undefined =>
  contactEntryTypeId !== null && contactEmailFieldId !== null
    ? { typeId: contactEntryTypeId, textFieldId: contactEmailFieldId }
    : undefined;

/** A person for whom a contact is looked for; without a name, none is created. */
interface Person {
  address: string;
  name: string | null;
}

/** To whom the created contacts are attributed. */
interface ContactAuthor {
  siteId: number;
  userId: number;
  proxyId: number | null;
}

/** Contacts of addresses that other relationships are linked to: a contact that was merged has left its address behind. */
async function findLinkedContacts(
  tx: Tx,
  siteId: number,
  { typeId }: Target,
  addresses: readonly string[],
): Promise<Map<string, number>> {
  const linkedIds = await store.findLinkedIds(tx, siteId, addresses);
  const entries = await findLinkedEntries(tx, siteId, [...linkedIds.values()]);
  return new Map(
    [...linkedIds].flatMap(([address, id]): [string, number][] => {
      const entry = entries.get(id);
      return entry?.entryListId === typeId ? [[address, entry.id]] : [];
    }),
  );
}

/** Finds the contacts of people by their addresses, and creates missing ones of people with a name. */
async function findOrCreate(
  tx: Tx,
  author: ContactAuthor,
  target: Target,
  people: readonly Person[],
  record: Recorder,
): Promise<Map<string, number>> {
  const { siteId } = author;
  await store.lockContacts(tx, siteId);
  const addresses = people.map(({ address }) => address);
  const contacts = await store.findContacts(tx, siteId, target, addresses);
  const others = addresses.filter((address) => !contacts.has(address));
  for (const [address, id] of await findLinkedContacts(tx, siteId, target, others)) contacts.set(address, id);
  const missing = people.flatMap(({ address, name }) =>
    name !== null && !contacts.has(address) ? [{ name, text: address }] : [],
  );
  if (missing.length === 0) return contacts;
  const ids = await createNamedEntries(tx, author, target, missing, record);
  for (const [index, { text }] of missing.entries()) contacts.set(text, ids[index] ?? 0);
  return contacts;
}

/** Whether the site has chosen an entry type of contacts. */
export const hasContactTarget = async (db: Db, siteId: number): Promise<boolean> =>
  toTarget(await loadSettings(db, siteId)) !== undefined;

/**
 * The contact of a person in the entry type that the site has chosen, created if there is none (spec 4.2, autoCreateOrLinkContact).
 * @returns the id of the entry; undefined if the site has not chosen an entry type
 */
export async function findOrCreateContact(
  tx: Tx,
  author: ContactAuthor,
  { email, name }: { email: string; name: string },
  record: Recorder,
): Promise<number | undefined> {
  const target = toTarget(await loadSettings(tx, author.siteId));
  const address = email.toLowerCase();
  return target && (await findOrCreate(tx, author, target, [{ address, name }], record)).get(address);
}

/**
 * Scheduled task that links relationships with contacts, in the name of the administrator who changed the settings last. A contact is
 * created for an address with a display name to which a user wrote, or whom a user met: senders alone are often mailing lists.
 */
export const createContactsTask = ({ db }: { db: Db }): ScheduledTask =>
  createItemTask(db, {
    name: CONTACTS_TASK,
    intervalMs: MINUTE_MS,
    listItems: () => store.listSitesWithDueContacts(db),
    async runStep({ siteId }, _signal, siteDb) {
      const { modifiedBy: userId } = await loadSettings(siteDb, siteId);
      if (userId === null) return false;
      const actor = { siteId, userId, email: await store.getEmail(siteDb, userId), origin: undefined };
      return change(siteDb, actor, async (tx, record) => {
        // A person who is being erased gets no contact.
        await lockAgainstErasure(tx, siteId);
        // The lock excludes a change of the settings, which may have been changed since the last step.
        const settings = await loadSettings(tx, siteId);
        const target = toTarget(settings);
        if (!settings.isEnabled || !settings.automatedContactCreation || !target) return false;
        // The next step is in the name of whoever changed them.
        if (settings.modifiedBy !== userId) return true;
        await store.lockContacts(tx, siteId);
        const due = await store.listDueContacts(tx, siteId, ADDRESSES_PER_STEP);
        // A contact that somebody deleted is found again when it has come back, and not created.
        const people = due.map(({ address, name, isMutual, hadContact }) => ({
          address,
          name: isMutual && !hadContact ? name : null,
        }));
        const contacts = await findOrCreate(tx, { siteId, userId, proxyId: null }, target, people, record);
        const addresses = due.map(({ address }) => address);
        await store.setContacts(
          tx,
          siteId,
          addresses,
          addresses.map((address) => contacts.get(address) ?? null),
        );
        return due.length === ADDRESSES_PER_STEP;
      });
    },
  });
