/** Contacts that follow from relationships, and from invitations. */
import { type RawBuilder, sql } from 'kysely';
import { beforeEach, expect, test } from 'vitest';
import type {
  EntryTypeVm,
  RelationshipPage,
  RelationshipSettings,
  FieldVm,
} from '../../../../contract/generated/types.gen.ts';
import { withTransaction } from '../../../kernel/db/database.ts';
import type { ErrorBody } from '../../../testing/calls.ts';
import { untilSomebodyWaits } from '../../../testing/databases.ts';
import { enableRelationships, importEmails, makeEmails, RI_PATH } from '../../../testing/relationships.ts';
import { as, makePerson, makeSite, onEachApp, type Person } from '../../../testing/site.ts';
import { eraseDuring } from '../settings/erase-during.fixture.ts';
import { lockSettings } from '../settings/settings.store.ts';
import { createContactsTask } from './contacts.ts';

onEachApp((context) => {
  let person: Person;
  let colleague: Person;
  let siteId = 0;
  let typeId = 0;
  let emailFieldId = 0;
  const api = () => as(context().app, person, 'console');
  beforeEach(async () => {
    siteId = await makeSite(context().db);
    person = await makePerson(context().db, siteId);
    colleague = await makePerson(context().db, siteId);
    await enableRelationships(context().db, siteId, [person.userId, colleague.userId]);
    await createContactType('Contact');
  });
  /** Creates the entry type that the settings choose from then on. */
  async function createContactType(name: string): Promise<void> {
    const type = await api().post<EntryTypeVm>('/api/rest/v4/schema/entrytypes', {
      apiName: name,
      singularName: name,
      pluralName: `${name}s`,
    });
    typeId = type.body.id;
    const field = await api().post<FieldVm>(`/api/rest/v4/schema/entrytypes/${typeId}/fields`, {
      apiName: 'Email',
      name: 'E-mail',
      fieldType: 1,
    });
    emailFieldId = field.body.id;
  }
  const set = (body: object) => api().put<RelationshipSettings & ErrorBody>(`${RI_PATH}/settings`, body);
  const choose = () =>
    set({ contacts: { entryTypeId: typeId, emailFieldId }, automatedContactCreation: true });
  const runTask = () => createContactsTask(context()).run(new AbortController().signal);
  const writeToNewPerson = async () => {
    const email = {
      sender: { address: person.email, name: 'Ada' },
      recipientsTo: [{ address: 'new@outside.test', name: 'New' }],
    };
    const emails = makeEmails(1, email, 'a');
    expect((await importEmails(api(), [{ userId: person.userId, emails }])).status).toBe(200);
  };
  /** Runs the task, which begins when the settings have been changed but the change is not committed. */
  const runTaskDuringChange = async (assignments: RawBuilder<unknown>) => {
    const { running } = await withTransaction(context().db, {}, async (tx) => {
      await lockSettings(tx, siteId);
      await sql`update ri_setting set ${assignments} where site_id = ${siteId}`.execute(tx);
      const started = { running: runTask() };
      await Promise.race([started.running, untilSomebodyWaits(context().db)]);
      return started;
    });
    await running;
  };
  const listContacts = async () => {
    const { rows } = await sql<{ id: number; name: string; email: string }>`
      select entry_id as id, name, vals ->> ${String(emailFieldId)}::text as email from entry
      where site_id = ${siteId} and type_id = ${typeId} order by entry_id`.execute(context().db);
    return rows;
  };

  test('links existing contacts, and creates those of people to whom a user wrote', async () => {
    expect((await choose()).status).toBe(200);
    const created = await api().post<{ entryId: number }[]>(`/api/rest/v4/data/entrydata/${typeId}`, {
      storeRequests: [
        { entryId: -1, fieldId: emailFieldId, value: 'Known@Outside.test' },
        { entryId: -1, fieldId: await getKeyFieldId(), value: 'Known' },
      ],
    });
    expect(created.status).toBe(200);
    const own = { address: person.email, name: 'Ada' };
    const to = (address: string, name: string) => ({ sender: own, recipientsTo: [{ address, name }] });
    const emails = [
      ...makeEmails(1, to('known@outside.test', 'Other'), 'a'),
      ...makeEmails(1, to('new@outside.test', 'New Person'), 'b'),
      ...makeEmails(1, to('nameless@outside.test', ''), 'c'),
      ...makeEmails(1, { sender: { address: 'list@outside.test', name: 'News' }, recipientsTo: [own] }, 'd'),
    ].toSorted((a, b) => a.sentDate.localeCompare(b.sentDate));
    expect((await importEmails(api(), [{ userId: person.userId, emails }])).status).toBe(200);
    await runTask();
    await runTask();
    const contacts = await listContacts();
    expect(contacts.map(({ name, email }) => [name, email])).toEqual([
      ['Known', 'Known@Outside.test'],
      ['New Person', 'new@outside.test'],
    ]);
    const page = await api().get<RelationshipPage>(`${RI_PATH}/relationships`);
    const linked = new Map(page.body.relationships.map(({ address, entryId }) => [address, entryId]));
    expect(linked).toEqual(
      new Map([
        ['known@outside.test', contacts[0]?.id],
        ['new@outside.test', contacts[1]?.id],
        ['nameless@outside.test', null],
        ['list@outside.test', null],
      ]),
    );
    const byEntry = await api().get<RelationshipPage>(`${RI_PATH}/relationships?entryId=${contacts[1]?.id}`);
    expect(byEntry.body.totalCount).toBe(1);
  });

  test('relationships of a contact that was merged are those of the entry into which it was merged', async () => {
    expect((await choose()).status).toBe(200);
    const emailField = { fieldId: emailFieldId, ignoreNearDups: true };
    const keyField = { fieldId: await getKeyFieldId(), ignoreNearDups: true };
    const created = await api().post<{ entryId: number }[]>(`/api/rest/v4/data/entrydata/${typeId}`, {
      storeRequests: [
        { entryId: -1, ...emailField, value: 'first@outside.test' },
        { entryId: -1, ...keyField, value: 'First' },
        { entryId: -2, ...emailField, value: 'second@outside.test' },
        { entryId: -2, ...keyField, value: 'Second' },
        { entryId: -3, ...keyField, value: 'Third' },
      ],
    });
    const [first = 0, second = 0, third = 0] = new Set(created.body.map(({ entryId }) => entryId));
    const to = (address: string) => ({
      sender: { address: person.email, name: 'Ada' },
      recipientsTo: [{ address, name: 'Somebody' }],
    });
    const emails = [
      ...makeEmails(1, to('first@outside.test'), 'a'),
      ...makeEmails(1, to('second@outside.test'), 'b'),
    ];
    expect((await importEmails(api(), [{ userId: person.userId, emails }])).status).toBe(200);
    await runTask();
    const merge = (entryId: number, merged: number) =>
      api().post(`/api/rest/v4/data/entrydata/merge/${typeId}`, { entryId, mergeEntries: [merged] });
    expect((await merge(second, first)).status).toBe(200);
    expect((await merge(third, second)).status).toBe(200);
    const listOf = async (entryId: number) => {
      const { body } = await api().get<RelationshipPage>(`${RI_PATH}/relationships?entryId=${entryId}`);
      const found = body.relationships.map((each) => [each.address, each.entryId, each.entryTypeId]);
      return [body.totalCount, found.toSorted(([one], [other]) => String(one).localeCompare(String(other)))];
    };
    expect(await listOf(third)).toEqual([
      2,
      [
        ['first@outside.test', third, typeId],
        ['second@outside.test', third, typeId],
      ],
    ]);
    // Another user writes to the person, whose contact is not created again.
    const sender = { address: colleague.email, name: 'Eve' };
    const again = makeEmails(1, { ...to('first@outside.test'), sender }, 'c');
    expect((await importEmails(api(), [{ userId: colleague.userId, emails: again }])).status).toBe(200);
    await runTask();
    expect((await listContacts()).map(({ id }) => id)).toEqual([third]);
    expect((await listOf(third))[0]).toBe(3);
    expect((await api().del(`/api/rest/v4/data/entrydata/${typeId}`, [third])).status).toBe(200);
    expect((await listOf(third))[1]).toEqual([
      ['first@outside.test', null, null],
      ['first@outside.test', null, null],
      ['second@outside.test', null, null],
    ]);
  });

  test('a contact that was deleted is not created again, and one that comes back has the relationships', async () => {
    expect((await choose()).status).toBe(200);
    const write = async (id: string) => {
      const email = {
        sender: { address: person.email, name: 'Ada' },
        recipientsTo: [{ address: 'new@outside.test', name: 'New' }],
      };
      const emails = makeEmails(1, email, id);
      expect((await importEmails(api(), [{ userId: person.userId, emails }])).status).toBe(200);
      await runTask();
    };
    const readLink = async () =>
      (await api().get<RelationshipPage>(`${RI_PATH}/relationships`)).body.relationships.map(
        ({ entryId }) => entryId,
      );
    await write('a');
    const [contact] = await listContacts();
    expect(await readLink()).toEqual([contact?.id]);
    expect((await api().del(`/api/rest/v4/data/entrydata/${typeId}`, [contact?.id])).status).toBe(200);
    await write('b');
    expect([await listContacts(), await readLink()]).toEqual([[], [null]]);
    const restored = await api().post(`/api/rest/v4/data/entrydata/${typeId}/restore`, [contact?.id]);
    expect([restored.status, await readLink()]).toEqual([200, [contact?.id]]);
    expect((await api().del(`/api/rest/v4/data/entrydata/${typeId}`, [contact?.id])).status).toBe(200);
    // The contact is imported again, as another entry.
    const created = await api().post<{ entryId: number }[]>(`/api/rest/v4/data/entrydata/${typeId}`, {
      storeRequests: [
        { entryId: -1, fieldId: emailFieldId, value: 'new@outside.test' },
        { entryId: -1, fieldId: await getKeyFieldId(), value: 'New' },
      ],
    });
    await write('c');
    expect(await readLink()).toEqual([created.body[0]?.entryId]);
    expect(await listContacts()).toHaveLength(1);
  });

  const getKeyFieldId = async () => {
    const { body } = await api().get<FieldVm[]>(`/api/rest/v4/schema/entrytypes/${typeId}/fields`);
    return body.find(({ id }) => id !== emailFieldId)?.id ?? 0;
  };

  test('a person who is erased while contacts are created gets none', async () => {
    expect((await choose()).status).toBe(200);
    const to = (address: string, name: string) => ({
      sender: { address: person.email, name: 'Ada' },
      recipientsTo: [{ address, name }],
    });
    const emails = [
      ...makeEmails(1, to('gone@outside.test', 'Gone'), 'a'),
      ...makeEmails(1, to('stays@outside.test', 'Stays'), 'b'),
    ];
    expect((await importEmails(api(), [{ userId: person.userId, emails }])).status).toBe(200);
    const erased = { siteId, userId: person.userId, address: 'gone@outside.test' };
    await eraseDuring(context().db, erased, runTask);
    expect((await listContacts()).map(({ email }) => email)).toEqual(['stays@outside.test']);
  });

  test('no contact is created once an administrator has turned it off', async () => {
    expect((await choose()).status).toBe(200);
    await writeToNewPerson();
    await runTaskDuringChange(sql`automated_contact_creation = false`);
    expect(await listContacts()).toEqual([]);
  });

  test('a contact is created in the entry type, and in the name, of settings that change meanwhile', async () => {
    expect((await choose()).status).toBe(200);
    await writeToNewPerson();
    const formerType = typeId;
    await createContactType('Lead');
    await runTaskDuringChange(sql`contact_entry_type_id = ${typeId}, contact_email_field_id = ${emailFieldId},
        modified_by = ${colleague.userId}`);
    const { rows } = await sql<{ typeId: number; userId: number }>`
      select type_id as "typeId", created_by as "userId" from entry_change
      where site_id = ${siteId} and type_id in (${formerType}, ${typeId})`.execute(context().db);
    expect(rows).toEqual([{ typeId, userId: colleague.userId }]);
  });

  test('an invitation finds or creates the contact of the person, and is refused without an entry type', async () => {
    const guest = await makePerson(context().db, await makeSite(context().db));
    const invite = () =>
      api().post<ErrorBody>('user/invite', { email: guest.email, type: 0, autoCreateOrLinkContact: true });
    const refused = await invite();
    expect([refused.status, refused.body.errors?.[0]?.path]).toEqual([400, 'autoCreateOrLinkContact']);
    await choose();
    expect((await invite()).status).toBe(200);
    const contacts = await listContacts();
    expect(contacts.map(({ name, email }) => [name, email])).toEqual([['Ada Okafor', guest.email]]);
    const { rows } = await sql<{
      id: number;
    }>`select user_entry_id as id from invitation where site_id = ${siteId}`.execute(context().db);
    expect(rows).toEqual([{ id: contacts[0]?.id }]);
  });

  test('an entry type that requires more values is refused', async () => {
    await api().post(`/api/rest/v4/schema/entrytypes/${typeId}/fields`, {
      apiName: 'City',
      name: 'City',
      fieldType: 1,
      isRequired: true,
    });
    const { status, body } = await choose();
    expect([status, body.errors?.[0]]).toEqual([
      400,
      { path: 'contacts.entryTypeId', message: 'Contacts require more than a name and an address: City' },
    ]);
  });
});
